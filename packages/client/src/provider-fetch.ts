import type { Api } from './api.ts';
import { PatchbayError } from './patchbay-error.ts';

type Target = { path: string; host?: string | undefined };
type Choice = { connection?: string | undefined; host?: string | undefined };
type ProviderApi = { url: string; hosts: Readonly<Record<string, string>> };

const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Turns an address in a provider's entry, such as `https://{subdomain}.example.com/v1`, into a pattern. If the address
 * begins with a placeholder, that stands for an origin. A placeholder such as `{+base}` may contain a path.
 */
const toPattern = (address: string): RegExp => {
  const source = address
    .replace(/\/+$/, '')
    .split(/(\{\+?\w+\})/)
    .map((part) => (part.startsWith('{') ? (part.startsWith('{+') ? '.*' : '[^/]*') : quote(part)))
    .join('');
  const origin = address.startsWith('{') ? 'https?://' : '';
  return new RegExp(`^${origin}${source}(?=/|$)`);
};

/** Finds the API address that a URL belongs to. If there are several, the longest one. */
const findTarget = (url: URL, { url: main, hosts }: ProviderApi): Target | null => {
  const address = `${url.origin}${url.pathname}`;
  const [found] = [[undefined, main] as const, ...Object.entries(hosts)]
    .map(([host, base]) => ({ host, length: toPattern(base).exec(address)?.[0].length ?? 0 }))
    .filter(({ length }) => length > 0)
    .sort((left, right) => right.length - left.length);
  return found ? { host: found.host, path: `${address.slice(found.length) || '/'}${url.search}` } : null;
};

/** Fields of a query that choose the connection and the host at Patchbay. */
const CHOOSING = new Set(['connection', 'patchbay-host']);

/**
 * Removes these fields from a path, because it may be a link from the provider, which must not choose another of the
 * team's accounts. The rest of the query stays as it was written.
 */
const withoutChoice = (path: string): string => {
  const [before = '', query] = path.split(/\?(.*)/s);
  if (query === undefined) return path;
  const nameOf = (field: string): string => [...new URLSearchParams(field).keys()][0]?.toLowerCase() ?? '';
  const kept = query.split('&').filter((field) => !CHOOSING.has(nameOf(field)));
  return kept.length > 0 ? `${before}?${kept.join('&')}` : before;
};

const withConnection = (path: string, connection: string | undefined): string => {
  const [whole = ''] = path.split('#');
  if (connection === undefined) return whole;
  return `${whole}${whole.includes('?') ? '&' : '?'}connection=${encodeURIComponent(connection)}`;
};

const isRequest = (input: unknown): input is Request => typeof Request !== 'undefined' && input instanceof Request;

const initOf = ({ method, headers, body, signal }: Request): RequestInit => ({ method, headers, body, signal });

/** Refuses a URL, which would be appended to the API's address. Only `fetchOf` takes URLs. */
const checkIsPath = (path: string): string => {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return path;
  throw new PatchbayError(
    'client.path_refused',
    "This takes a path of the provider's API. For its URLs, use `fetchOf`.",
  );
};

/**
 * Turns Patchbay's refusal into a response for a vendor's library. Most libraries take a thrown error for a broken
 * network.
 */
const toResponse = (error: unknown): Response => {
  if (!(error instanceof PatchbayError) || !error.problem) throw error;
  const { status, problem, retryAfterSeconds } = error;
  const headers = new Headers({
    'content-type': 'application/problem+json; charset=utf-8',
    'patchbay-from': 'patchbay',
  });
  if (retryAfterSeconds !== null) headers.set('retry-after', String(retryAfterSeconds));
  return new Response(JSON.stringify(problem), { status, headers });
};

/** Calls a provider's API through the proxy: one path at a time, or as a `fetch` for a vendor's library. */
export const createProviderFetch = ({ call, pass }: Api) => {
  const request = (provider: string, { path, host }: Target, connection: string | undefined, init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.delete('patchbay-host');
    if (host !== undefined) headers.set('patchbay-host', host);
    // Ask for the provider's own links, because a library follows them with this `fetch`, which takes the provider's
    // URLs.
    headers.set('patchbay-links', 'original');
    const whole = path.startsWith('/') ? path : `/${path}`;
    return pass(provider, withConnection(whole, connection), { ...init, headers });
  };

  const findApi = async (provider: string): Promise<ProviderApi> => {
    const { providers } = await call('GET /api/integrations/providers');
    const api = providers.find(({ id }) => id === provider)?.api;
    if (api) return api;
    throw new PatchbayError('client.address_refused', `Patchbay knows no API of "${provider}".`);
  };

  return {
    fetch: async (provider: string, path: string, { connection, host, ...init }: RequestInit & Choice) =>
      request(provider, { path: checkIsPath(path), host }, connection, init),

    fetchOf(provider: string, { connection, host }: Choice): typeof fetch {
      let api: Promise<ProviderApi> | undefined;
      const getApi = (): Promise<ProviderApi> => {
        api ??= findApi(provider).catch((error) => {
          api = undefined;
          throw error;
        });
        return api;
      };
      const locate = async (address: string): Promise<Target> => {
        if (!URL.canParse(address)) return { path: address, host };
        const url = new URL(address);
        const target = findTarget(url, await getApi());
        if (target) return target;
        throw new PatchbayError('client.address_refused', `${url.origin} isn't where the API of "${provider}" is.`);
      };
      const send = async (input: string | URL | Request, init: RequestInit = {}) => {
        const { path, host: at } = await locate(isRequest(input) ? input.url : String(input));
        const target = { path: withoutChoice(path), host: at };
        return request(provider, target, connection, isRequest(input) ? { ...initOf(input), ...init } : init);
      };
      return (input, init) => send(input, init).catch(toResponse);
    },
  };
};
