import type { IdentitySettings } from '../teams/index.ts';
import type { Config } from './config.ts';

/**
 * Reads the settings of the operator's identity provider. Null if only Patchbay's own users and tokens are accepted.
 */
export const readIdentitySettings = (config: Config): IdentitySettings | null => {
  const { authIssuer: issuer, authAudience: audience, authClientId: id, authClientSecret: secret } = config;
  if (!issuer || !audience) return null;
  return {
    issuer,
    audience,
    teamClaim: config.authTeamClaim,
    userClaim: config.authUserClaim,
    roleClaim: config.authRoleClaim,
    client: id ? { id, secret, scopes: config.authScopes } : null,
  };
};
