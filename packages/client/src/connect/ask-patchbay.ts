import { PatchbayError, toError } from '../patchbay-error.ts';

/** Patchbay's address, and a token for it. */
export type Access = { url: string; token: string; signal?: AbortSignal };

/** The browser doesn't say why a request failed. Most often, Patchbay doesn't know the page's origin. */
const unreachable = (url: string): PatchbayError =>
  new PatchbayError(
    'connect.unreachable',
    `Patchbay at ${url} can't be reached from this page. If it's running, add ${location.origin} to its PATCHBAY_RETURN_ORIGINS.`,
  );

export const ask = async <Body>({ url, token, signal }: Access, path: string, body?: object): Promise<Body> => {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body) headers['content-type'] = 'application/json';
  const response = await fetch(`${url.replace(/\/+$/, '')}/api/integrations/${path}`, {
    method: body ? 'POST' : 'GET',
    headers,
    credentials: 'omit',
    redirect: 'manual',
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  }).catch(() => {
    throw signal?.reason ?? unreachable(url);
  });
  if (!response.ok) throw await toError(response);
  return response.json() as Promise<Body>;
};
