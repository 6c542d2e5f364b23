/** Where everything in the sandbox lives. */
export const ROOT = '/sandbox';

/** Below the root, as the provider itself sees them. */
export const PATHS = {
  authorize: '/authorize',
  token: '/token',
  revoke: '/revoke',
  userinfo: '/userinfo',
  jwks: '/jwks',
  discovery: '/.well-known/openid-configuration',
  interaction: '/interaction',
} as const;

/** For Patchbay's own base URL. */
export const issuerOf = (url: string): string => `${url}${ROOT}`;
