import type { TelephonyContext } from '../context.ts';
import type { MediaRequest, ProviderAccount } from '../contract/provider.ts';

/** Returns a function that checks a host against rules: full names, or `.example.com` for all subdomains. */
export const allowsHost =
  (rules: readonly string[]) =>
  (host: string): boolean =>
    rules.some((rule) => (rule.startsWith('.') ? host.length > rule.length && host.endsWith(rule) : host === rule));

/**
 * Aims a request at a stand-in for the provider's media host, if the account names one (`api.mediaOrigin`). This is for
 * tests and the simulator, and never happens in production. No other host is allowed then.
 */
export const aimMediaRequest = (
  { production }: TelephonyContext,
  media: MediaRequest,
  { api }: Pick<ProviderAccount, 'api'>,
): MediaRequest => {
  const standIn = production ? null : URL.parse(api['mediaOrigin'] ?? '');
  if (!standIn) return media;
  const hosts = [standIn.hostname.replace(/^\[|\]$/g, '')];
  const aim = (address: string): string => {
    const { pathname, search } = new URL(address);
    return `${standIn.origin}${pathname}${search}`;
  };
  const { token } = media;
  return {
    ...media,
    url: aim(media.url),
    hosts,
    redirectHosts: hosts,
    ...(token ? { token: { ...token, url: aim(token.url), hosts } } : {}),
  };
};
