import type { TelephonyContext } from '../context.ts';
import type { MediaRequest } from '../contract/provider.ts';
import { allowsHost } from './aim-media-request.ts';
import { type FetchFailure, fetchFailureOfError } from './fetch-failure.ts';

const TOKEN_MS = 30_000;
const MOST_BYTES = 64 * 1024;

const readToken = (body: Buffer): string | null => {
  try {
    const { access_token: token } = JSON.parse(body.toString('utf8'));
    return typeof token === 'string' && token !== '' ? token : null;
  } catch {
    return null;
  }
};

const toFailure = (status: number, host: string): FetchFailure =>
  status === 400 || status === 401 || status === 403
    ? { problem: `${host} rejected the account's credentials (${status}).`, outlook: 'waits' }
    : { problem: `${host} didn't issue a token (${status}).`, outlook: 'again' };

/** Gets the bearer token that some providers require, with the account's credentials. It's used once, not stored. */
export const bringToken = async (
  { outbound }: Pick<TelephonyContext, 'outbound'>,
  { token, ...media }: MediaRequest,
  signal: AbortSignal,
): Promise<MediaRequest | FetchFailure> => {
  if (!token) return media;
  const { url, headers, body, hosts } = token;
  const host = new URL(url).hostname;
  try {
    const request = { method: 'POST' as const, url, headers, body, hosts: allowsHost(hosts) };
    const response = await outbound.request({ ...request, timeoutMs: TOKEN_MS, mostBytes: MOST_BYTES, signal });
    const bearer = response.status === 200 ? readToken(response.body) : null;
    if (bearer === null) return toFailure(response.status, host);
    return { ...media, headers: { ...media.headers, authorization: `Bearer ${bearer}` } };
  } catch (error) {
    const failure = signal.aborted ? undefined : fetchFailureOfError(error, host);
    if (!failure) throw error;
    return failure;
  }
};
