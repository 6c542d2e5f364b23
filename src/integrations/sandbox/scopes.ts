/** Every scope, with its description on the consent page. */
export const SCOPE_WORDS = {
  openid: 'know which account this is',
  email: 'see its email address',
  profile: 'see its name',
  offline_access: 'stay connected while you’re away',
} as const;

export type Scope = keyof typeof SCOPE_WORDS;

export const SCOPES = Object.keys(SCOPE_WORDS) as Scope[];

/** Picks the scopes that we know. RFC 6749 lets a provider ignore the others. */
export const knownScopes = (requested: string): Scope[] => {
  const names = new Set(requested.split(' '));
  return SCOPES.filter((scope) => names.has(scope));
};
