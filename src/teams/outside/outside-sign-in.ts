import * as oauth from 'oauth4webapi';
import { SealBroken } from '../../vault/index.ts';
import type { TeamsContext } from '../context.ts';
import { identityProviderAway, outsideSignInRefused, outsideSignInStale } from '../errors.ts';
import {
  type IdentitySettings,
  type OutsideIdentity,
  readIdentity,
  type Unnamed,
} from '../records/outside-identity.ts';
import { createFetch, keepDiscovered } from './issuer.ts';

/** The state of a sign-in. The browser keeps it, sealed, until it returns from the identity provider. */
type Begun = { state: string; nonce: string; verifier: string; until: number };

export const BEGUN_SECONDS = 600;
const FRESH_MS = 3_600_000;
const MOST_BYTES = 256 * 1024;
const PURPOSE = 'outside sign-in';

/** The URL at the identity provider that the browser is sent to. */
const addressOf = async (
  endpoint: string,
  { state, nonce, verifier }: Begun,
  { clientId, redirectUri, scopes }: { clientId: string; redirectUri: string; scopes: string },
): Promise<string> => {
  const address = new URL(endpoint);
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
  return address.href;
};

/**
 * Signing in with the operator's identity provider: the OpenID Connect code flow with PKCE. It starts and ends in the
 * same browser, which carries its state in a sealed cookie, so that nobody is signed in with someone else's response.
 */
export const createOutsideSignIn = (
  context: TeamsContext,
  settings: IdentitySettings,
  { id: clientId, secret, scopes }: NonNullable<IdentitySettings['client']>,
) => {
  const { clock, outbound, vault, log, url } = context;
  const { issuer } = settings;
  // This URI must be registered at the identity provider.
  const redirectUri = `${url}/sign-in/callback`;
  const options = {
    [oauth.customFetch]: createFetch(outbound, MOST_BYTES),
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  };
  const authenticate = secret ? oauth.ClientSecretBasic(secret.reveal()) : oauth.None();

  const getServer = keepDiscovered(
    context,
    async () => {
      const address = new URL(issuer);
      return oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, options));
    },
    FRESH_MS,
  );

  const openBegun = (sealed: string): Begun => {
    try {
      const begun: Begun = JSON.parse(vault.openPassing(PURPOSE, [issuer, clientId], sealed).toString('utf8'));
      if (begun.until >= clock.now()) return begun;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
    }
    throw outsideSignInStale();
  };

  /** Requests claims that aren't in the token itself. If that fails, only the token's claims are used. */
  const completeClaims = async (
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    accessToken: string,
    claims: oauth.IDToken,
  ): Promise<Readonly<Record<string, unknown>>> => {
    if (server.userinfo_endpoint === undefined) return claims;
    try {
      const response = await oauth.userInfoRequest(server, client, accessToken, options);
      return { ...(await oauth.processUserInfoResponse(server, client, claims.sub, response)), ...claims };
    } catch (err) {
      log.warn({ err }, 'the user info of the identity provider cannot be fetched, so only the token is used');
      return claims;
    }
  };

  const exchange = async (
    server: oauth.AuthorizationServer,
    returned: URLSearchParams,
    begun: Begun,
  ): Promise<OutsideIdentity | Unnamed> => {
    // The library uses the system clock, so pass the difference to ours.
    const skewSeconds = Math.round((clock.now() - Date.now()) / 1_000);
    const client: oauth.Client = { client_id: clientId, [oauth.clockSkew]: skewSeconds, [oauth.clockTolerance]: 30 };
    const params = oauth.validateAuthResponse(server, client, returned, begun.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      params,
      redirectUri,
      begun.verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: begun.nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, response, options);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (!claims) throw new Error('There is no ID token.');
    return readIdentity(settings, await completeClaims(server, client, tokens.access_token, claims));
  };

  return {
    /** Returns where to send the browser, and the sealed state that it keeps. */
    async begin(): Promise<{ address: string; sealed: string }> {
      const { authorization_endpoint } = await getServer();
      if (authorization_endpoint === undefined) throw identityProviderAway();
      const begun: Begun = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        until: clock.now() + BEGUN_SECONDS * 1_000,
      };
      return {
        address: await addressOf(authorization_endpoint, begun, { clientId, redirectUri, scopes }),
        sealed: vault.sealPassing(PURPOSE, [issuer, clientId], Buffer.from(JSON.stringify(begun))),
      };
    },
    /** Returns who has signed in at the identity provider. */
    async finish(returned: URLSearchParams, sealed: string): Promise<OutsideIdentity> {
      const begun = openBegun(sealed);
      const server = await getServer();
      const identity = await exchange(server, returned, begun).catch((err) => {
        // The provider's message may contain anything, so it's only logged.
        log.warn({ err }, 'a sign-in with the identity provider was refused');
        throw outsideSignInRefused("The identity provider didn't confirm who you are.");
      });
      if ('unnamed' in identity)
        throw outsideSignInRefused(`The identity provider sent no ${identity.unnamed} (claim "${identity.claim}").`);
      return identity;
    },
  };
};

export type OutsideSignIn = ReturnType<typeof createOutsideSignIn>;
