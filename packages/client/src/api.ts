import type { Operations } from './operations.ts';
import { PatchbayError, toError } from './patchbay-error.ts';
import { isFromProvider, send } from './send.ts';

export type ApiOptions = { url: string; token: string; timeoutMs: number; fetchTimeoutMs: number };

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type Asked = {
  /** Values for the placeholders in the path. */
  path?: Readonly<Record<string, string>>;
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/** Patchbay's API for one token, and for one team and user if the token is the operator's. */
export type Api = {
  call<Name extends keyof Operations>(name: Name, asked?: Asked): Promise<Operations[Name]['response']>;
  /** Requests a provider's response that Patchbay has kept. */
  open(name: keyof Operations, asked: Asked): Promise<Response>;
  /** Sends a request through the proxy. `path` begins with a slash, and may have a query. */
  pass(provider: string, path: string, init: RequestInit): Promise<Response>;
  /** Returns an API with the same token and other headers. */
  acting(as: Readonly<Record<string, string>>): Api;
};

const toBase = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new PatchbayError(
      'client.url_invalid',
      '`url` must be the address of Patchbay, such as https://patchbay.example.com, and nothing else.',
    );
  return url.href.replace(/\/+$/, '');
};

/**
 * Encodes a segment of a path. Refuses dots, which `fetch` would resolve, so that the request would go to another
 * endpoint.
 */
const toSegment = (text: string): string => {
  if (/^(?:\.{0,2})$/.test(text)) throw new PatchbayError('client.path_refused', `"${text}" can't be part of a path.`);
  return encodeURIComponent(text);
};

/**
 * Matches dot segments, which `fetch` resolves, tabs and line breaks, which it removes, and `\`, which it reads as `/`.
 */
const LEADS_AWAY = /[\\\t\r\n]|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

const checkPath = (path: string): string => {
  if (!LEADS_AWAY.test(path.replace(/[?#].*$/s, '')) && !/[\t\r\n]/.test(path)) return path;
  throw new PatchbayError('client.path_refused', 'The path has dot segments, backslashes, tabs, or line breaks.');
};

const toSearch = (query: Query = {}): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
};

/**
 * Headers that decide where a request goes and who sends it. They are set here, and never taken from a vendor's
 * library.
 */
const OURS = ['authorization', 'cookie', 'patchbay-team', 'patchbay-user'];

const readJson = async <Body>(response: Response): Promise<Body> => {
  if (response.status === 204) return undefined as Body;
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (!response.ok || !isJson) throw await toError(response);
  return response.json() as Promise<Body>;
};

export const createApi = (options: ApiOptions, as: Readonly<Record<string, string>> = {}): Api => {
  const { token, timeoutMs, fetchTimeoutMs } = options;
  const base = toBase(options.url);
  const own = { authorization: `Bearer ${token}`, ...as };

  const readResponse = async (response: Response): Promise<Response> => {
    if (isFromProvider(response)) return response;
    throw await toError(response);
  };

  const request = <Result>(
    name: keyof Operations,
    { path = {}, query, body, signal }: Asked,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> => {
    const [method = '', template = ''] = name.split(' ');
    const filled = template.replace(/\{(\w+)\}/g, (_, key: string) => toSegment(path[key] ?? ''));
    // The operator's own endpoints are about a team, but don't act as one, so they get no team headers.
    const headers = template.startsWith('/api/operator/') ? { authorization: own.authorization } : own;
    const sent: RequestInit & { method: string } = { method, headers, signal: signal ?? null };
    if (body !== undefined) {
      sent.headers = { ...headers, 'content-type': 'application/json' };
      sent.body = JSON.stringify(body);
    }
    return send({ url: `${base}${filled}${toSearch(query)}`, init: sent, timeoutMs, read });
  };

  return {
    call: async <Name extends keyof Operations>(name: Name, asked: Asked = {}) =>
      request<Operations[Name]['response']>(name, asked, readJson),
    open: async (name, asked) => request(name, asked, readResponse),
    async pass(provider, path, init) {
      const headers = new Headers(init.headers);
      for (const name of OURS) headers.delete(name);
      for (const [name, value] of Object.entries(own)) headers.set(name, value);
      const url = `${base}/api/integrations/${toSegment(provider)}/proxy${checkPath(path)}`;
      const method = init.method?.toUpperCase() ?? 'GET';
      // Node requires this for a streamed body. It means that the body is sent before the response is read.
      const streaming = init.body instanceof ReadableStream ? ({ duplex: 'half' } as object) : {};
      const sent = { ...init, ...streaming, method, headers };
      return send({ url, init: sent, timeoutMs: fetchTimeoutMs, read: readResponse });
    },
    acting: (other) => createApi(options, other),
  };
};
