import type { FullRecord } from '../catalogue/provider.ts';
import { issuerOf, PATHS } from './paths.ts';

/** How long a consent holds, however often the connection is refreshed. */
export const CONSENT_DAYS = 30;

/** The sandbox, described like any other provider in the catalog. */
export const createRecord = (url: string): FullRecord => {
  const issuer = issuerOf(url);
  return {
    id: 'sandbox',
    name: 'Sandbox',
    category: 'try it',
    issuer,
    issuerInCallback: true,
    scopes: ['profile'],
    requiredScopes: ['openid', 'offline_access', 'email'],
    pkce: 'required',
    // Without this prompt OpenID Connect has no refresh token (Core 1.0, section 11).
    authorize: { url: `${issuer}${PATHS.authorize}`, params: { prompt: 'consent' } },
    token: { url: `${issuer}${PATHS.token}`, auth: 'basic' },
    refresh: { rotates: 'always', absoluteDays: CONSENT_DAYS },
    revoke: { url: `${issuer}${PATHS.revoke}`, auth: 'basic', token: 'refresh', kills: 'token' },
    identity: { url: `${issuer}${PATHS.userinfo}`, id: 'sub', label: 'email' },
  };
};

export const callbackOf = (url: string): string => `${url}/api/integrations/sandbox/callback`;
