import { createIdentityProvider, createOutsideSignIn } from '../teams/index.ts';
import type { Config } from './config.ts';

const claimsOf = ({ authTeamClaim, authUserClaim, authRoleClaim }: Config) => ({
  teamClaim: authTeamClaim,
  userClaim: authUserClaim,
  roleClaim: authRoleClaim,
});

/** Whose tokens are taken as bearer. Null: nobody's but our own. */
export const readIdentityProvider = (
  config: Config,
  dependencies: Parameters<typeof createIdentityProvider>[0],
): ReturnType<typeof createIdentityProvider> | null => {
  const { authIssuer: issuer, authAudience: audience } = config;
  return issuer && audience ? createIdentityProvider(dependencies, { issuer, audience, ...claimsOf(config) }) : null;
};

/** With whom people sign in to the pages. Null: by link alone. */
export const readOutsideSignIn = (
  config: Config,
  dependencies: Parameters<typeof createOutsideSignIn>[0],
): ReturnType<typeof createOutsideSignIn> | null => {
  const {
    authIssuer: issuer,
    authClientId: clientId,
    authClientSecret: clientSecret,
    authScopes: scopes,
    url,
  } = config;
  return issuer && clientId
    ? createOutsideSignIn(dependencies, { issuer, clientId, clientSecret, scopes, url, ...claimsOf(config) })
    : null;
};
