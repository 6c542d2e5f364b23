import type { FullRecord } from '../catalogue/provider.ts';

/** The root path of the sandbox. */
export const ROOT = '/sandbox';

/** Paths relative to the root, as oidc-provider sees them. */
export const PATHS = {
  authorize: '/authorize',
  token: '/token',
  revoke: '/revoke',
  userinfo: '/userinfo',
  jwks: '/jwks',
  discovery: '/.well-known/openid-configuration',
  interaction: '/interaction',
  api: '/api',
} as const;

/** The sandbox's issuer, for Patchbay's own base URL. */
export const issuerOf = (url: string): string => `${url}${ROOT}`;

/** The sandbox's ID in the catalog. */
export const SANDBOX = 'sandbox';
/** How long a consent lasts, however often the connection is refreshed. */
export const CONSENT_DAYS = 30;

/** How the sandbox's contacts are found, and calls logged there. */
const createCrmRules = (url: string): Pick<FullRecord, 'people' | 'log'> => {
  const fields = {
    title: '{title}',
    text: '{text}',
    outcome: '{outcome}',
    startedAt: '{started}',
    seconds: '{seconds:number}',
  };
  return {
    people: {
      search: [{ method: 'GET', path: '/contacts/search', query: { phone: '{e164}' } }],
      items: 'contacts',
      numbers: ['phone'],
      id: 'id',
      name: ['{name}'],
      url: `${url}/integrations/${SANDBOX}#people`,
    },
    log: {
      create: { method: 'POST', path: '/calls', body: { callId: '{call}', contactId: '{person:number}', ...fields } },
      id: 'id',
      update: { method: 'PATCH', path: '/calls/{log}', body: fields },
      find: {
        ...{ method: 'GET', path: '/calls', query: { callId: '{call}' } },
        ...{ items: 'calls', id: 'id', where: 'callId', settlesSeconds: 0 },
      },
    },
  };
};

/** The sandbox, described like any other provider in the catalog. */
export const createRecord = (url: string): FullRecord => {
  const issuer = issuerOf(url);
  return {
    id: SANDBOX,
    name: 'Sandbox',
    category: 'try it',
    issuer,
    issuerInCallback: true,
    scopes: ['profile'],
    requiredScopes: ['openid', 'offline_access', 'email'],
    pkce: 'required',
    // Without this prompt, OpenID Connect issues no refresh token (Core 1.0, section 11).
    authorize: { url: `${issuer}${PATHS.authorize}`, params: { prompt: 'consent' } },
    token: { url: `${issuer}${PATHS.token}`, auth: 'basic' },
    refresh: { rotates: 'always', absoluteDays: CONSENT_DAYS },
    revoke: { url: `${issuer}${PATHS.revoke}`, auth: 'basic', token: 'refresh', kills: 'token' },
    identity: { url: `${issuer}${PATHS.userinfo}`, id: 'sub', label: 'email' },
    api: { url: `${issuer}${PATHS.api}`, verify: { method: 'GET', path: '/me' } },
    ...createCrmRules(url),
  };
};
