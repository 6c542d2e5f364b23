import { isLoopbackHost } from '../../platform/index.ts';
import { clientRefused, redirectRefused } from '../errors.ts';

const MOST_CHARACTERS = 1_000;
/**
 * Finds what is wrong with where a client wants a person to be sent back. Null if nothing is. Only https, http on the
 * person's own machine, and schemes that the operator allows.
 */
const findRedirectFlaw = (address: string, schemes: readonly string[]): string | null => {
  const url = address.length <= MOST_CHARACTERS ? URL.parse(address) : null;
  if (!url || /[\s\p{Cc}]/u.test(address)) return 'it is not a URL of at most 1,000 characters';
  if (url.hash || address.includes('#')) return 'it has a fragment';
  if (url.username || url.password) return 'it has a name or a password';
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'https') return null;
  if (scheme === 'http') return isLoopbackHost(url.hostname) ? null : 'only localhost can be reached over http';
  return schemes.includes(scheme) ? null : `the operator has not allowed the scheme "${scheme}" (MCP_REDIRECT_SCHEMES)`;
};

/** All redirects of a client together. */
const MOST_TOGETHER = 2_000;

/** Refuses a client that wants people to be sent back to where they may not be sent. */
export const checkRedirects = (redirects: readonly string[], schemes: readonly string[]): void => {
  if (redirects.join('').length > MOST_TOGETHER) throw clientRefused('its redirects are longer than 2,000 characters');
  for (const redirect of redirects) {
    const flaw = findRedirectFlaw(redirect, schemes);
    if (flaw) throw redirectRefused(redirect, flaw);
  }
};
