import type { IncomingHttpHeaders } from 'node:http';
import { type HeaderList, Refusal } from '../../../platform/index.ts';
import { isAllowedPath } from '../check-path.ts';
import type { OpenApi } from '../open-api.ts';
import { CONNECTION_FIELD, HOST_FIELD, hasField, OUR_FIELDS, pathAt, withoutFields } from '../proxy-target.ts';
import { rewriteLinkHeader } from './link-header.ts';
import { createOwnCheck } from './own-places.ts';

/** The caller's request. */
type Asked = {
  path: string;
  query: string;
  /** Undefined if the request goes to the API's own URL. */
  host: string | undefined;
  /** Null if the caller named no connection. */
  connection: string | null;
};

/** The caller that gets the links. */
export type Follower = {
  /** Patchbay's own URL. */
  origin: string;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
  /** Whether the caller wants the provider's own URLs. */
  original: boolean;
};

type Place = { name: string | undefined; url: URL; trusted: boolean };
type Found = Omit<Place, 'url'> & { path: string };

/** Headers whose value is a single URL, which clients follow or request again. */
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
/**
 * How many URLs of one response are rewritten, and how long they may be together. The others are left out. A relative
 * URL becomes as long as the request's, so a small header could otherwise become many megabytes.
 */
const MOST_URLS = 100;
const MOST_CHARACTERS = 32 * 1024;
const ABSOLUTE = /^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;
/** Matches a value that begins like a URL. When parsing, `URL` ignores spaces at the start, and tabs anywhere. */
const BEGINS_LIKE_URL = /^\s*(?:h\s*t\s*t\s*p\s*s?\s*:|[\\/]\s*[\\/])/i;

/** Lists the base URLs of the entry's API, beginning with the one that the request went to. */
const listPlaces = ({ api, addressOf }: OpenApi, asked: string | undefined): Place[] =>
  [...new Set([asked, undefined, ...Object.keys(api.hosts ?? {})])].flatMap((name) => {
    try {
      return [{ name, ...addressOf(name) }];
    } catch (error) {
      // Leave this host out, because the connection can't reach it.
      if (error instanceof Refusal) return [];
      throw error;
    }
  });

/**
 * Resolves a reference in a header. Each of its characters stands for a byte. Null if the URL has a user name, which a
 * header must not contain (RFC 9110, section 4.2.4), or a scheme other than http and https, which no API client needs.
 */
const resolve = (reference: string, base: URL): URL | null => {
  const encoded = reference.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const target = URL.parse(encoded, base.href);
  if (!target || !/^https?:$/.test(target.protocol)) return null;
  return target.username === '' && target.password === '' ? target : null;
};

/**
 * The path of a URL, relative to a base URL of the API. Null if the proxy can't reach exactly this URL with that base.
 */
const pathBelow = ({ origin, pathname }: URL, base: URL): string | null => {
  if (origin !== base.origin) return null;
  const folder = base.pathname.replace(/\/+$/, '');
  if (pathname === folder) return '';
  const path = pathname.slice(folder.length + 1);
  if (!pathname.startsWith(`${folder}/`) || (path === '' && folder !== '')) return null;
  return isAllowedPath(path) ? path : null;
};

const findPlace = (target: URL, places: readonly Place[]): Found | undefined =>
  places
    .map(({ url, ...place }) => ({ ...place, path: pathBelow(target, url) }))
    .find((place): place is Found => place.path !== null);

/** The request's URL at the provider, without our own query fields and the credential. */
const urlOf = ({ addressOf, credential }: OpenApi, { path, query, host }: Asked): URL => {
  const { url } = addressOf(host);
  const left = withoutFields(query, [...OUR_FIELDS, ...(credential.query ? [credential.query.name] : [])]);
  return new URL(`${pathAt(url, path)}${left === '' ? '' : `?${left}`}`, url);
};

/**
 * Creates the function that rewrites the URLs in a response. A URL in the provider's API becomes a URL of the proxy, for
 * the same connection. Any other URL becomes absolute, because a relative one would lead a client, with its token, to
 * our own host, or null, if it's at our own host anyway or `mayLeave` is false. A URL in the API that has one of our own
 * query fields is treated like any other, because the field could choose another connection.
 */
const createRewrite = (opened: OpenApi, asked: Asked, { origin, headers, original }: Follower) => {
  const isOurs = createOwnCheck(origin, headers);
  const { host, connection } = asked;
  const here = urlOf(opened, asked);
  const places = listPlaces(opened, host);
  const known = places.map(({ url }) => url);
  const bases = ['http', 'https'].map((scheme) => origin.replace(/^https?/, scheme));
  const named = connection === null ? '' : `${CONNECTION_FIELD}=${connection}`;
  let [urls, characters] = [0, 0];

  /**
   * Names the link's host in its query. The query overrides the header, which a client may repeat from this request.
   */
  const nameHost = (name: string | undefined): string =>
    name === undefined && host === undefined ? '' : `${HOST_FIELD}=${encodeURIComponent(name ?? '')}`;

  const toProxy = ({ name, path }: Found, { search, hash }: URL, isAbsolute: boolean): string => {
    const query = [search.slice(1), named, nameHost(name)].filter((part) => part !== '').join('&');
    const proxied = `/api/integrations/${opened.connection.provider}/proxy/${path}`;
    return `${isAbsolute ? origin : ''}${proxied}${query === '' ? '' : `?${query}`}${hash}`;
  };

  const rewriteOne = (reference: string, { mayLeave }: { mayLeave: boolean }): string | null => {
    const target = resolve(reference, here);
    if (!target) return null;
    const found = findPlace(target, places);
    // A URL on our own host is returned only if it belongs to an API that the operator runs there, such as the
    // sandbox's.
    if (original) return isOurs(target, known) && !found?.trusted ? null : target.href;
    if (found && !hasField(target.search.slice(1), OUR_FIELDS)) return toProxy(found, target, ABSOLUTE.test(reference));
    return mayLeave && !isOurs(target, known) ? target.href : null;
  };

  return {
    rewrite(reference: string, options: { mayLeave: boolean }): string | null {
      const rewritten = ++urls > MOST_URLS ? null : rewriteOne(reference, options);
      characters += rewritten?.length ?? 0;
      return characters > MOST_CHARACTERS ? null : rewritten;
    },
    leadsToUs(value: string): boolean {
      // What isn't read any more might lead to us.
      if (++urls > MOST_URLS) return true;
      // With the scheme of the base, "https:/host" is relative: a client may parse it against the provider's URL or
      // ours, or without a base.
      const read = [here.href, undefined, ...bases].map((base) => URL.parse(value, base));
      return read[0] === null || read.some((target) => target !== null && isOurs(target, known));
    },
  };
};

/**
 * Rewrites the URLs in a provider's headers, because libraries may follow them with the caller's Patchbay token. URLs
 * into the entry's API lead back to the proxy, so that the provider doesn't get that token. Other URLs on our own host
 * are removed. A redirect to another host is kept, but a link to another host is removed, because libraries send the
 * token when they follow links to more pages.
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
