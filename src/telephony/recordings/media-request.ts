import type { MediaRequest, ProviderAccount } from '../contract/provider.ts';

/** Whole names; one that begins with a dot stands for everything below it. */
export const allowsHost =
  (rules: readonly string[]) =>
  (host: string): boolean =>
    rules.some((rule) => (rule.startsWith('.') ? host.length > rule.length && host.endsWith(rule) : host === rule));

/**
 * Outside production an account may name a stand-in for the provider's media host (`api.mediaOrigin`): tests and the
 * simulator are asked instead, and then nobody else may be.
 */
export const aimMediaRequest = (
  media: MediaRequest,
  { api }: Pick<ProviderAccount, 'api'>,
  { production }: { production: boolean },
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
