import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Adapter, type JWK, Provider } from 'oidc-provider';
import { createMemoryAdapter } from '../../src/integrations/sandbox/memory-adapter.ts';
import { createBrowser, locationOf } from './browser.ts';
import { openGate } from './oauth-server/gate.ts';
import { createInteractions } from './oauth-server/interactions.ts';

/** The public address of the service under test, whatever port it really listens on. */
export const SERVICE_URL = 'http://localhost:3000';

/** Every account belongs to it. */
export const COMPANY = 'the-company';
export const OPERATOR = { id: 'patchbay', secret: 'secret-of-the-operator-4711' } as const;
export const TEAM = { id: 'the-team-itself', secret: 'secret-of-the-team-0815' } as const;

/** Programs that get tokens for themselves (client credentials). A person enters these. */
export const MACHINES = ['machine-one', 'machine-two'].map((id) => ({ id, secret: `secret of ${id} +%41&=:~` }));

/** The ids that a service may use for this server. Each has its own callback. */
export const PROVIDER_IDS = ['acme', 'acme-full', 'acme-plain', 'acme-never', 'acme-grace'] as const;

/** What a test may change at any time. */
type Rules = {
  accessTokenSeconds: number;
  rotates: boolean;
  /** Whether a spent refresh token of this account still works. */
  hasGrace: (account: string) => boolean;
  /** Whether the end of one token ends all others of the same grant. */
  endsWholeGrant: boolean;
};

const createAdapter = (rules: Rules): Adapter => {
  const adapter = createMemoryAdapter();
  return {
    ...adapter,
    async consume(id) {
      if (!rules.hasGrace((await adapter.find(id))?.accountId ?? '')) await adapter.consume(id);
    },
    async revokeByGrantId(grantId) {
      if (rules.endsWholeGrant) await adapter.revokeByGrantId(grantId);
    },
  };
};

/** With public keys, its clients have private keys instead of secrets (`private_key_jwt`), and nothing else is accepted. */
export type OauthServerOptions = { publicKeys?: readonly JWK[] };

/**
 * A real OAuth server on loopback, with PKCE, consent, refresh tokens that work once, revocation, introspection and the
 * issuer in its callback. In front of it is a gate that counts requests and can make them fail.
 */
export const startOauthServer = async ({ publicKeys }: OauthServerOptions = {}) => {
  const gate = await openGate();
  const issuer = gate.url;
  const rules: Rules = { accessTokenSeconds: 3_600, rotates: true, hasGrace: () => false, endsWholeGrant: true };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = { ...privateKey.export({ format: 'jwk' }), kty: 'EC', kid: 'test', alg: 'ES256', use: 'sig' };

  const provider = new Provider(issuer, {
    adapter: () => createAdapter(rules),
    jwks: { keys: [signingKey] },
    clients: [
      ...(publicKeys ? [] : MACHINES).map(({ id, secret }) => ({
        ...{ client_id: id, client_secret: secret, redirect_uris: [], response_types: [] },
        ...{ grant_types: ['client_credentials'], id_token_signed_response_alg: 'ES256' as const },
      })),
      ...[OPERATOR, TEAM].map(({ id, secret }) => ({
        client_id: id,
        ...(publicKeys
          ? { token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: [...publicKeys] } }
          : { client_secret: secret }),
        redirect_uris: PROVIDER_IDS.map((one) => `${SERVICE_URL}/api/integrations/${one}/callback`),
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code' as const],
        id_token_signed_response_alg: 'ES256' as const,
      })),
    ],
    ...(publicKeys && {
      clientAuthMethods: ['private_key_jwt'],
      enabledJWA: { clientAuthSigningAlgValues: ['PS256', 'RS256', 'ES256', 'Ed25519', 'EdDSA'] },
    }),
    clientBasedCORS: () => false,
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', 'email', 'profile'],
    claims: { openid: ['sub', 'company'], email: ['email'], profile: ['name'] },
    ttl: {
      AccessToken: () => rules.accessTokenSeconds,
      ClientCredentials: () => rules.accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      RefreshToken: 86_400,
      Grant: 86_400,
    },
    rotateRefreshToken: () => rules.rotates,
    revokeGrantPolicy: () => rules.endsWholeGrant,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, company: COMPANY, email: `${id}@example.com`, name: id }),
    }),
    cookies: { keys: ['test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    renderError: (context, out) => {
      context.type = 'json';
      context.body = out;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
    },
  });

  const answerProvider = provider.callback();
  const answerInteraction = createInteractions(provider);
  const inner = createServer((request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answerProvider(request, response);
    answerInteraction(request, response).catch(() => response.writeHead(410).end());
  });
  inner.listen(0, '127.0.0.1');
  await once(inner, 'listening');
  const { port } = inner.address() as AddressInfo;
  gate.setBehind(port);

  /** Requested behind the gate, so that it isn't counted and nothing goes wrong. */
  const askBehind = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);

  return {
    ...gate,
    issuer,
    rules,
    /** What the person does at the consent page. Returns where the browser is sent back to. */
    async consent(authorizationUrl: string, { account = 'alice', answer = 'allow' } = {}): Promise<string> {
      const browser = createBrowser();
      const page = locationOf(await browser.visit(authorizationUrl));
      const body = new URLSearchParams({ account, answer });
      let address = locationOf(await browser.visit(page, { method: 'POST', body }));
      while (address.startsWith(issuer)) address = locationOf(await browser.visit(address));
      return address;
    },
    /** Whose token it is, according to the server. Null if it doesn't work. */
    async whoIs(accessToken: string): Promise<string | null> {
      const answer = await askBehind('/me', { headers: { authorization: `Bearer ${accessToken}` } });
      return answer.status === 200 ? ((await answer.json()) as { sub: string }).sub : null;
    },
    /** Whether the server still knows a token of any kind. */
    async isActive(token: string, { id, secret }: { id: string; secret: string } = OPERATOR): Promise<boolean> {
      const answer = await askBehind('/token/introspection', {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
        body: new URLSearchParams({ token }),
      });
      return ((await answer.json()) as { active: boolean }).active;
    },
    async stop(): Promise<void> {
      await gate.close();
      inner.closeAllConnections();
      inner.close();
      await once(inner, 'close');
    },
  };
};

export type OauthServer = Awaited<ReturnType<typeof startOauthServer>>;
