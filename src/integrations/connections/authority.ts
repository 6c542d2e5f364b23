import { hasOpenHost, plainHost } from '../catalogue/known-hosts.ts';
import { expandAddress, hostPartOf, ValueMissing } from '../catalogue/placeholders.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import type { Connection } from './connection.ts';

/** The part of the token URL that distinguishes issuers. */
export const issuingPlaceOf = ({ record }: ResolvedProvider, details: Record<string, string>): URL =>
  expandAddress(hostPartOf(record.token.url), details);

/** The host that issues the tokens. Includes the port and the path if several issuers may share a host. */
export const authorityOf = (resolved: ResolvedProvider, details: Record<string, string>): string => {
  const place = issuingPlaceOf(resolved, details);
  return resolved.record.token.url.includes('{+') ? `${place.host}${place.pathname}` : plainHost(place);
};

type Issued = Pick<Connection, 'authority' | 'details'>;

/**
 * Returns the host that issues an existing connection's tokens, as the entry now says it. So after an entry was
 * corrected, the same account is still the same. Returns the stored host if the entry needs a value that isn't stored.
 */
export const currentAuthorityOf = (
  { authority, details }: Issued,
  find: (details: Record<string, string>) => string,
): string => {
  try {
    return find(details);
  } catch (error) {
    if (error instanceof ValueMissing) return authority;
    throw error;
  }
};

/** A connection with the host that the entry now says. */
export const atCurrentHost = <One extends Issued>(resolved: ResolvedProvider, one: One): One => ({
  ...one,
  authority: currentAuthorityOf(one, (details) => authorityOf(resolved, details)),
});

/**
 * The hosts that other connections with the same grant may have stored: the stored one, and the one that the entry now
 * says. Null for any host, if the entry names a single one: then another host is from before the entry was corrected.
 */
export const authoritiesOf = (resolved: ResolvedProvider, one: Issued): readonly [string, string] | null =>
  hasOpenHost(resolved.record.token.url) ? [one.authority, atCurrentHost(resolved, one).authority] : null;
