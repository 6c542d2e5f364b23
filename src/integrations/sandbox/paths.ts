/** Where everything of the sandbox lives. */
export const ROOT = '/sandbox';

/** Below the root, as the provider itself knows them. */
export const PATHS = {
  authorize: '/authorize',
  token: '/token',
  revoke: '/revoke',
  userinfo: '/userinfo',
  jwks: '/jwks',
  discovery: '/.well-known/openid-configuration',
  interaction: '/interaction',
} as const;

/** For the address that Patchbay is reached at. */
export const issuerOf = (url: string): string => `${url}${ROOT}`;
