import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderList } from '../../platform/index.ts';
import type { OpenApi } from './open-api.ts';
import { plainName, toProviderHeaders } from './proxy-headers.ts';
import { OUR_FIELDS, pathAt, withoutFields } from './proxy-target.ts';

/** The caller's request. */
export type AskedRequest = {
  method: string;
  /** `path` is relative to the API's URL, without a slash at the start. `query` has no question mark. */
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  rawHeaders: readonly string[];
  /** The name of the host that the request goes to. Undefined for the API's own URL. */
  host: string | undefined;
};

/** A request as the provider gets it, without the credential and the body. */
export type DraftedRequest = {
  method: string;
  /** The API's URL, or the one of a named host, that the path is appended to. */
  url: URL;
  /** Whether the operator chose the URL. */
  trusted: boolean;
  path: string;
  query: string;
  headers: HeaderList;
};

/** Works out what the provider gets, without our own fields and headers. */
export const draftRequest = (
  { addressOf, headersFor, credential }: OpenApi,
  { method, path, query, headers, rawHeaders, host }: AskedRequest,
): DraftedRequest => {
  const own = [...OUR_FIELDS, ...(credential.query ? [credential.query.name] : [])];
  const fixed = headersFor({ host, sent: headers });
  return {
    ...addressOf(host),
    method,
    path,
    query: withoutFields(query, own),
    headers: toProviderHeaders({ raw: rawHeaders, headers }, fixed, credential.headers),
  };
};

/** Adds the credential to a request: what is sent, byte for byte. */
export const addCredential = (
  { path, query, url, headers }: Pick<DraftedRequest, 'path' | 'query' | 'url' | 'headers'>,
  { query: field, headers: secret }: OpenApi['credential'],
): { path: string; headers: HeaderList } => {
  const fields = [query, field ? `${field.name}=${encodeURIComponent(field.value)}` : ''].filter((part) => part !== '');
  const names = new Set(secret.map(([name]) => plainName(name)));
  return {
    path: `${pathAt(url, path)}${fields.length > 0 ? `?${fields.join('&')}` : ''}`,
    // A request that waited for an approval may be from before a header became secret.
    headers: [...headers.filter(([name]) => !names.has(plainName(name))), ...secret],
  };
};
