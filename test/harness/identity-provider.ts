import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** Who signs in at the identity provider, and what it says about them. */
export type Visitor = { sub: string; team?: string; role?: string; email?: string; name?: string };

export type IdentityProviderOptions = {
  /** Where the client `dashboard` may be sent back to. */
  redirectUri?: string;
  /** Claims are in the token itself, and not only at the userinfo endpoint. */
  claimsInToken?: boolean;
};

/**
 * A real OpenID provider on loopback, which issues JWT access tokens for the audience `patchbay`, and signs in the
 * current visitor without asking.
 */
export const startIdentityProvider = async ({ redirectUri, claimsInToken = false }: IdentityProviderOptions = {}) => {
  let visitor: Visitor | null = null;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'test', alg: 'RS256', use: 'sig' };
  const web = createServer();
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: 'app',
        client_secret: 'app-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: 'dashboard',
        client_secret: 'dashboard-secret',
        redirect_uris: [redirectUri ?? 'http://localhost:3000/sign-in/callback'],
      },
    ],
    claims: { openid: ['sub', 'team', 'role'], email: ['email'], profile: ['name'] },
    conformIdTokenClaims: !claimsInToken,
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ ...visitor, sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['test'] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // Everyone who signs in gets a token for the userinfo endpoint.
        defaultResource: ({ oidc }) => (oidc.client?.clientId === 'app' ? 'urn:patchbay' : []),
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: 'patchbay',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: () => ({ team: 'team-of-the-app', role: 'admin' }),
  });
  const handle = provider.callback();
  web.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response);
    const { prompt, params, grantId } = await provider.interactionDetails(request, response);
    if (!visitor) return provider.interactionFinished(request, response, { error: 'access_denied' });
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: visitor.sub } });
    const grant =
      (grantId ? await provider.Grant.find(grantId) : undefined) ??
      new provider.Grant({ accountId: visitor.sub, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  });

  return {
    issuer,
    privateKey,
    /** From now on, every visitor is this person; null: every visitor is turned away. */
    visit(next: Visitor | null): void {
      visitor = next;
    },
    /** What the provider itself issues, through its token endpoint. */
    async requestToken(): Promise<string> {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa('app:app-secret')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
      return ((await response.json()) as { access_token: string }).access_token;
    },
    /** A token signed with the provider's key, with claims chosen by the test. */
    sign: (
      claims: Record<string, unknown>,
      header: Record<string, unknown> = {},
      key: Parameters<SignJWT['sign']>[0] = privateKey,
    ) =>
      new SignJWT({ iss: issuer, aud: 'patchbay', exp: Math.floor(Date.now() / 1_000) + 600, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'test', ...header })
        .sign(key),
    stop: () =>
      new Promise<void>((resolve) => {
        web.closeAllConnections();
        web.close(() => resolve());
      }),
  };
};
