import type { MediaRequest } from '../contract/provider.ts';

export const basicAuth = (credentials: string): string =>
  `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;

type More = { authorization?: string; redirectHosts?: readonly string[] };

/** Makes a request to one host. Redirects are followed only to the named hosts. */
export const requestMedia = (
  host: string,
  path: string,
  { authorization, redirectHosts = [] }: More,
): MediaRequest => ({
  url: `https://${host}${path}`,
  headers: authorization === undefined ? {} : { authorization },
  hosts: [host],
  redirectHosts,
});
