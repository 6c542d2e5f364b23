import type { TelephonyContext } from '../context.ts';
import type { MediaRequest, ProviderAccount } from '../contract/provider.ts';

/** Full names; one that starts with a dot stands for all its subdomains. */
export const allowsHost =
  (rules: readonly string[]) =>
  (host: string): boolean =>
    rules.some((rule) => (rule.startsWith('.') ? host.length > rule.length && host.endsWith(rule) : host === rule));

/**
 * Outside production, an account may name a stand-in for the provider's media host (`api.mediaOrigin`), for tests and
 * the simulator. Then no other host is allowed.
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
