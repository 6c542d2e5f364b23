import type { IncomingHttpHeaders } from 'node:http';
import { type HeaderList, Refusal } from '../../platform/index.ts';
import { checkPath } from './check-path.ts';
import { rewriteLinkHeader } from './link-header.ts';
import type { OpenApi } from './open-api.ts';
import { createOwnCheck } from './own-places.ts';
import { CONNECTION_FIELD, HOST_FIELD, hasField, OUR_FIELDS, pathAt, withoutFields } from './proxy-target.ts';

/** What was requested, as the caller put it. */
type Asked = {
  path: string;
  query: string;
  /** Undefined if the request goes to the API's own address. */
  host: string | undefined;
  /** Null if the caller named none. */
  connection: string | null;
};

/** Who gets the links. */
export type Follower = {
  /** Our own address. */
  origin: string;
  /** Of the request. */
  headers: IncomingHttpHeaders;
  /** Whether the caller wants the provider's own URLs. */
  original: boolean;
};

type Place = { name: string | undefined; url: URL; trusted: boolean };
type Found = Omit<Place, 'url'> & { path: string };

/** Headers that are one URL, which clients follow or request again. */
export const WITH_ONE_URL = [
  'azure-asyncoperation',
  'content-location',
  'location',
  'odata-entityid',
  'operation-location',
  'uri',
  'x-goog-upload-control-url',
  'x-goog-upload-url',
];
const ABSOLUTE = /^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;
/** `URL` ignores spaces at the start, and tabs anywhere. */
const BEGINS_LIKE_URL = /^\s*(?:h\s*t\s*t\s*p\s*s?\s*:|[\\/]\s*[\\/])/i;

/** Where the entry's API is, beginning with the address that the request went to. */
const listPlaces = ({ api, addressOf }: OpenApi, asked: string | undefined): Place[] =>
  [...new Set([asked, undefined, ...Object.keys(api.hosts ?? {})])].flatMap((name) => {
    try {
      return [{ name, ...addressOf(name) }];
    } catch (error) {
      // This connection can't reach every host of the entry.
      if (error instanceof Refusal) return [];
      throw error;
    }
  });

/**
 * Header values are bytes, one for each character. A URL in a header has no user name (RFC 9110, section 4.2.4), and no
 * client of an API needs another scheme.
 */
const resolve = (reference: string, base: URL): URL | null => {
  const encoded = reference.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const target = URL.parse(encoded, base.href);
  if (!target || !/^https?:$/.test(target.protocol)) return null;
  return target.username === '' && target.password === '' ? target : null;
};

const isAllowed = (path: string): boolean => {
  try {
    checkPath(path);
    return true;
  } catch {
    return false;
  }
};

/** The path below the address of an API. Null if the proxy doesn't reach exactly this URL through that address. */
const pathBelow = ({ origin, pathname }: URL, base: URL): string | null => {
  if (origin !== base.origin) return null;
  const folder = base.pathname.replace(/\/+$/, '');
  if (pathname === folder) return '';
  const path = pathname.slice(folder.length + 1);
  if (!pathname.startsWith(`${folder}/`) || (path === '' && folder !== '')) return null;
  return isAllowed(path) ? path : null;
};

const findPlace = (target: URL, places: readonly Place[]): Found | undefined =>
  places
    .map(({ url, ...place }) => ({ ...place, path: pathBelow(target, url) }))
    .find((place): place is Found => place.path !== null);

/** The URL of the request at the provider, without what only we may know. */
const urlOf = ({ addressOf, credential }: OpenApi, { path, query, host }: Asked): URL => {
  const { url } = addressOf(host);
  const left = withoutFields(query, [...OUR_FIELDS, ...(credential.query ? [credential.query.name] : [])]);
  return new URL(`${pathAt(url, path)}${left === '' ? '' : `?${left}`}`, url);
};

/**
 * A function that turns a reference into the entry's API into one to the proxy, for the same connection: a link with a
 * field that means something to us would choose another. Every other reference becomes a whole URL if it may leave the
 * API, and null otherwise, because a client takes its token along to wherever a relative one would lead on our own host.
 */
const createRewrite = (opened: OpenApi, asked: Asked, { origin, headers, original }: Follower) => {
  const isOurs = createOwnCheck(origin, headers);
  const { host, connection } = asked;
  const here = urlOf(opened, asked);
  const places = listPlaces(opened, host);
  const known = places.map(({ url }) => url);
  const named = connection === null ? '' : `${CONNECTION_FIELD}=${connection}`;

  /** The header of the request may come again with the next one, so the link says it if another host is meant. */
  const nameHost = (name: string | undefined): string =>
    name === undefined && host === undefined ? '' : `${HOST_FIELD}=${encodeURIComponent(name ?? '')}`;

  const toProxy = ({ name, path }: Found, { search, hash }: URL, isAbsolute: boolean): string => {
    const query = [search.slice(1), named, nameHost(name)].filter((part) => part !== '').join('&');
    const proxied = `/api/integrations/${opened.connection.provider}/proxy/${path}`;
    return `${isAbsolute ? origin : ''}${proxied}${query === '' ? '' : `?${query}`}${hash}`;
  };

  return {
    rewrite(reference: string, { mayLeave }: { mayLeave: boolean }): string | null {
      const target = resolve(reference, here);
      if (!target) return null;
      const found = findPlace(target, places);
      // The operator may have made a part of our own host an API, as we do for the sandbox.
      if (original) return isOurs(target, known) && !found?.trusted ? null : target.href;
      if (found && !hasField(target.search.slice(1), OUR_FIELDS))
        return toProxy(found, target, ABSOLUTE.test(reference));
      return mayLeave && !isOurs(target, known) ? target.href : null;
    },
    leadsToUs(value: string): boolean {
      const target = URL.parse(value, here.href);
      return target === null || isOurs(target, known);
    },
  };
};

/**
 * Nothing in a provider's headers leads a library with the caller's token to another of our addresses than the proxy's.
 * Redirects and links into the entry's API lead back there, so the token doesn't get to the provider either. A redirect
 * to another host stays one. A link to one doesn't, because libraries send the token with every page.
 */
export const rewriteLinks = (headers: HeaderList, opened: OpenApi, asked: Asked, follower: Follower): HeaderList => {
  const isAboutUrls = (name: string, value: string): boolean =>
    name === 'link' || WITH_ONE_URL.includes(name) || BEGINS_LIKE_URL.test(value);
  if (!headers.some(([name, value]) => isAboutUrls(name, value))) return headers;
  const { rewrite, leadsToUs } = createRewrite(opened, asked, follower);
  const rewriteValue = (name: string, value: string): string | null => {
    if (WITH_ONE_URL.includes(name)) return rewrite(value, { mayLeave: true });
    if (name === 'link') return rewriteLinkHeader(value, (target) => rewrite(target, { mayLeave: false }));
    return BEGINS_LIKE_URL.test(value) && leadsToUs(value) ? null : value;
  };
  return headers.flatMap(([name, value]): HeaderList => {
    const rewritten = rewriteValue(name, value);
    return rewritten === null ? [] : [[name, rewritten]];
  });
};
