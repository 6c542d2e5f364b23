import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A real OpenID provider on loopback, which issues JWT access tokens for the audience `patchbay`. */
export const startIdentityProvider = async () => {
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
    ],
    cookies: { keys: ['test'] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:patchbay',
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
  web.on('request', provider.callback());

  return {
    issuer,
    privateKey,
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
    /** A token signed with the provider's key, with claims of the test's choosing. */
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
