import { type HeaderList, Refusal } from '../../platform/index.ts';
import { checkPath } from './check-path.ts';
import type { OpenApi } from './open-api.ts';
import { CONNECTION_FIELD, HOST_FIELD, hasField, OUR_FIELDS, pathAt } from './proxy-target.ts';

/** What was requested, as the caller put it. */
export type Asked = {
  path: string;
  /** Undefined if the request goes to the API's own address. */
  host: string | undefined;
  /** Null if the caller named none. */
  connection: string | null;
};

type Place = { name: string | undefined; url: URL };
type Found = { name: string | undefined; path: string };

/** The targets of a `Link` header. A quoted text is skipped as a whole: it may contain anything. */
const QUOTED_OR_TARGET = /"(?:[^"\\]|\\.?)*(?:"|$)|((?:^|,)\s*)<([^<>]*)>/gs;
const ABSOLUTE = /^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;

/** Where the entry's API is, beginning with the address that the request went to. */
const listPlaces = ({ api, addressOf }: OpenApi, asked: string | undefined): Place[] =>
  [...new Set([asked, undefined, ...Object.keys(api.hosts ?? {})])].flatMap((name) => {
    try {
      return [{ name, url: addressOf(name).url }];
    } catch (error) {
      // This connection can't reach every host of the entry.
      if (error instanceof Refusal) return [];
      throw error;
    }
  });

/** Header values are bytes, one for each character. */
const resolve = (reference: string, base: URL): URL | null => {
  const encoded = reference.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  return URL.parse(encoded, base.href);
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
const pathBelow = ({ origin, username, password, pathname }: URL, base: URL): string | null => {
  if (origin !== base.origin || username !== '' || password !== '') return null;
  const folder = base.pathname.replace(/\/+$/, '');
  if (pathname === folder) return '';
  const path = pathname.slice(folder.length + 1);
  if (!pathname.startsWith(`${folder}/`) || (path === '' && folder !== '')) return null;
  return isAllowed(path) ? path : null;
};

const findPlace = (target: URL, places: readonly Place[]): Found | undefined =>
  places
    .map(({ name, url }) => ({ name, path: pathBelow(target, url) }))
    .find((place): place is Found => place.path !== null);

/**
 * A function that turns a reference into the entry's API into one to the proxy. Every other reference stays as it is. A
 * provider can't choose the connection: a link with a field that means something to us isn't rewritten.
 */
const createRewrite = (origin: string, opened: OpenApi, { path, host, connection }: Asked) => {
  const { url } = opened.addressOf(host);
  const here = new URL(pathAt(url, path), url);
  const places = listPlaces(opened, host);
  const named = connection === null ? '' : `${CONNECTION_FIELD}=${connection}`;

  /** The header of the request may come again with the next one, so the link says it if another host is meant. */
  const nameHost = (name: string | undefined): string =>
    name === undefined && host === undefined ? '' : `${HOST_FIELD}=${encodeURIComponent(name ?? '')}`;

  return (reference: string): string => {
    // A fragment leads nowhere else.
    const target = /^(?:#|$)/.test(reference) ? null : resolve(reference, here);
    const found = target && findPlace(target, places);
    if (!found || hasField(target.search.slice(1), OUR_FIELDS)) return reference;
    const query = [target.search.slice(1), named, nameHost(found.name)].filter((part) => part !== '').join('&');
    const proxied = `/api/integrations/${opened.connection.provider}/proxy/${found.path}`;
    return `${ABSOLUTE.test(reference) ? origin : ''}${proxied}${query === '' ? '' : `?${query}`}${target.hash}`;
  };
};

/**
 * Redirects and links into the entry's API lead back to the proxy, so that a library that follows them doesn't take the
 * caller's token to the provider.
 */
export const rewriteLinks = (headers: HeaderList, origin: string, opened: OpenApi, asked: Asked): HeaderList => {
  if (!headers.some(([name]) => name === 'location' || name === 'link')) return headers;
  const rewrite = createRewrite(origin, opened, asked);
  return headers.map(([name, value]) => {
    if (name === 'location') return [name, rewrite(value)];
    if (name !== 'link') return [name, value];
    const rewritten = value.replace(QUOTED_OR_TARGET, (whole, before?: string, reference?: string) =>
      reference === undefined ? whole : `${before}<${rewrite(reference)}>`,
    );
    return [name, rewritten];
  });
};
