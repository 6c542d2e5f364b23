/** The root of the OAuth server's paths. */
export const OAUTH_ROOT = '/oauth';

/** Paths relative to the root, as oidc-provider sees them. */
export const OAUTH_PATHS = {
  authorize: '/authorize',
  token: '/token',
  revoke: '/revoke',
  register: '/register',
  consent: '/consent',
} as const;

/** How the tokens of clients begin, so that people and programs recognize a lost one. */
export const PREFIXES = { access: 'pba_', refresh: 'pbr_' } as const;
