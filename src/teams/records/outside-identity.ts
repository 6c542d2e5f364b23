import type { Role } from '../../http/index.ts';
import type { Secret } from '../../platform/index.ts';

/** The operator's identity provider, and the names of the claims to read. */
export type IdentitySettings = {
  issuer: string;
  /** The audience that a bearer token must have. */
  audience: string;
  teamClaim: string;
  userClaim: string;
  roleClaim: string;
  /**
   * The client for signing in to the pages. Null if the pages don't offer that. `secret` is null for a public client,
   * which only uses PKCE.
   */
  client: { id: string; secret: Secret | null; scopes: string } | null;
};

/** The claims of a valid token from the operator's identity provider. */
export type OutsideIdentity = {
  issuer: string;
  team: string;
  user: string;
  role: Role;
  email: string | null;
  name: string | null;
  /** Null if the token has no such claim. */
  issuedAt: number | null;
};

const LONGEST_CLAIM = 255;

const ADDRESS = /^[^\s\p{Cc}@,;:<>()"\\]+@[^\s\p{Cc}@,;:<>()"\\]+$/u;

/** Whether the text is a single email address, and not a list, because email is sent to it. */
export const isAddress = (text: string): boolean =>
  text.length <= LONGEST_CLAIM && text.isWellFormed() && ADDRESS.test(text);

const readClaim = (claims: Readonly<Record<string, unknown>>, claim: string): string | null => {
  const value = claims[claim];
  // A number that isn't a safe integer has already lost digits, so it may name a different person.
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' &&
    text !== '' &&
    text.length <= LONGEST_CLAIM &&
    text.isWellFormed() &&
    !text.includes('\u0000')
    ? text
    : null;
};

/** What the claims don't name, and the claim that should name it. */
export type Unnamed = { unnamed: 'team' | 'user'; claim: string };

export const readIdentity = (
  { issuer, teamClaim, userClaim, roleClaim }: IdentitySettings,
  claims: Readonly<Record<string, unknown>>,
): OutsideIdentity | Unnamed => {
  const team = readClaim(claims, teamClaim);
  if (team === null) return { unnamed: 'team', claim: teamClaim };
  const user = readClaim(claims, userClaim);
  if (user === null) return { unnamed: 'user', claim: userClaim };
  const email = readClaim(claims, 'email');
  return {
    issuer,
    team,
    user,
    role: readClaim(claims, roleClaim) === 'admin' ? 'admin' : 'member',
    email: email !== null && isAddress(email) ? email : null,
    name: readClaim(claims, 'name'),
    issuedAt: typeof claims['iat'] === 'number' && claims['iat'] > 0 ? Math.floor(claims['iat']) * 1_000 : null,
  };
};
