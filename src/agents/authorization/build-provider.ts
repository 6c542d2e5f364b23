import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AgentClients } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { MCP_PATH, MCP_SCOPE } from '../mcp/metadata-routes.ts';
import { createAgentAdapters } from './adapters.ts';
import { OAUTH_PATHS, OAUTH_ROOT } from './paths.ts';

export const AGENT_COOKIE = 'patchbay_agent_session';

const MINUTE = 60;
const ACCESS_SECONDS = 60 * MINUTE;

/** How much is left of the grant that a request is about. Nothing is issued for longer. */
const secondsLeft = ({ oidc }: KoaContextWithOIDC): number => {
  const exp = oidc.entities.Grant?.exp;
  return exp === undefined ? ACCESS_SECONDS : Math.max(1, exp - Math.floor(Date.now() / 1_000));
};

/** A key for ID tokens, which are never issued. Without one, oidc-provider uses a key that everybody knows. */
const generateUnusedKey = async () => {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kty: 'EC', kid: 'agents', alg: 'ES256', use: 'sig' };
};

/** Configures oidc-provider. Replaces or turns off everything that agents don't need. */
const configurationFor = (
  context: AgentsContext,
  clients: AgentClients,
  jwks: NonNullable<Configuration['jwks']>,
): Configuration => {
  const resource = `${context.url}${MCP_PATH}`;
  return {
    adapter: createAgentAdapters(context, clients),
    jwks,
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
      application_type: 'native',
    },
    clientAuthMethods: ['none'],
    clientBasedCORS: () => false,
    responseTypes: ['code'],
    scopes: [MCP_SCOPE],
    pkce: { required: () => true },
    clockTolerance: 0,
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    // Also when a client gives back an access token: nothing of the grant would be left that it could use.
    revokeGrantPolicy: () => true,
    expiresWithSession: async () => false,
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    ttl: {
      AuthorizationCode: MINUTE,
      Interaction: 10 * MINUTE,
      Session: 10 * MINUTE,
      AccessToken: ACCESS_SECONDS,
      RefreshToken: secondsLeft,
      Grant: ACCESS_SECONDS,
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: {
      keys: [context.cookieSecret],
      names: { session: AGENT_COOKIE, interaction: 'patchbay_agent', resume: 'patchbay_agent_resume' },
      long: { path: OAUTH_ROOT, httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    routes: { authorization: OAUTH_PATHS.authorize, token: OAUTH_PATHS.token, revocation: OAUTH_PATHS.revoke },
    interactions: { url: (_context, { uid }) => `${OAUTH_ROOT}${OAUTH_PATHS.consent}/${uid}` },
    // The route turns this JSON into a page.
    renderError: (koa, out) => {
      koa.type = 'json';
      koa.body = out;
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (koa, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget();
          const accessTokenTTL = Math.min(ACCESS_SECONDS, secondsLeft(koa));
          return { scope: MCP_SCOPE, audience: resource, accessTokenTTL, accessTokenFormat: 'opaque' };
        },
      },
    },
  };
};

export const buildAgentProvider = async (context: AgentsContext, clients: AgentClients): Promise<Provider> => {
  const provider = new Provider(context.url, configurationFor(context, clients, { keys: [await generateUnusedKey()] }));
  // Trust the forwarded headers, because we write them ourselves.
  provider.proxy = true;
  provider.on('server_error', (_koa, err) => context.log.error({ err }, 'the OAuth server for agents failed'));
  return provider;
};
