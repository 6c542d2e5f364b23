import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { type Configuration, Provider } from 'oidc-provider';
import { type Database, type Log, randomSecret, type Secret } from '../../platform/index.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import { ACCOUNTS } from './accounts.ts';
import { createAdapters } from './adapters.ts';
import { CONSENT_DAYS, issuerOf, PATHS, ROOT, SANDBOX } from './record.ts';
import { SCOPES } from './scopes.ts';

export type SandboxClient = { url: string; clientId: string; clientSecret: Secret };

export type SandboxContext = { log: Log; database: Database };

export const SESSION_COOKIE = 'sandbox_session';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

const TTL = {
  AuthorizationCode: MINUTE,
  AccessToken: 10 * MINUTE,
  IdToken: 10 * MINUTE,
  Interaction: 10 * MINUTE,
  Session: 10 * MINUTE,
  RefreshToken: CONSENT_DAYS * DAY,
  Grant: CONSENT_DAYS * DAY,
};

const generateSigningKey = async () => {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kty: 'EC', kid: 'sandbox', alg: 'ES256', use: 'sig' };
};

/**
 * Configures oidc-provider. Replaces or turns off every default that prints to the console, or shows a page with fonts
 * from other sites.
 */
const configurationFor = (
  { url, clientId, clientSecret }: SandboxClient,
  jwks: NonNullable<Configuration['jwks']>,
  database: Database,
): Configuration => ({
  adapter: createAdapters(database),
  jwks,
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret.reveal(),
      client_name: 'Patchbay',
      redirect_uris: [redirectUriOf(url, SANDBOX)],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  clientAuthMethods: ['client_secret_basic'],
  clientBasedCORS: () => false,
  responseTypes: ['code'],
  pkce: { required: () => true },
  scopes: [...SCOPES],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  clockTolerance: 0,
  ttl: TTL,
  rotateRefreshToken: true,
  findAccount: (_context, id) => {
    const account = ACCOUNTS.find((one) => one.id === id);
    if (!account) return undefined;
    const { name, email } = account;
    return { accountId: id, claims: () => ({ sub: id, name, email, email_verified: true }) };
  },
  cookies: {
    keys: [randomSecret()],
    names: { session: SESSION_COOKIE, interaction: 'sandbox_interaction', resume: 'sandbox_resume' },
    long: { path: ROOT, httpOnly: true, sameSite: 'lax', signed: true },
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  },
  routes: {
    authorization: PATHS.authorize,
    token: PATHS.token,
    revocation: PATHS.revoke,
    userinfo: PATHS.userinfo,
    jwks: PATHS.jwks,
  },
  interactions: { url: (_context, { uid }) => `${ROOT}${PATHS.interaction}/${uid}` },
  // The route turns this JSON into a page.
  renderError: (context, out) => {
    context.type = 'json';
    context.body = out;
  },
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
  },
});

export const buildProvider = async (client: SandboxClient, { log, database }: SandboxContext): Promise<Provider> => {
  const keys = [await generateSigningKey()];
  const provider = new Provider(issuerOf(client.url), configurationFor(client, { keys }, database));
  // Trust the forwarded headers, because we write them ourselves (`exchange.ts`).
  provider.proxy = true;
  provider.on('server_error', (_context, err) => log.error({ err }, 'the sandbox failed'));
  return provider;
};
