import * as oauth from 'oauth4webapi';
import type { Clock, Log, Outbound, Secret } from '../../platform/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import { identityProviderAway, outsideSignInRefused, outsideSignInStale } from '../errors.ts';
import { type IdentityClaims, type OutsideIdentity, readIdentity } from '../records/outside-identity.ts';

export type OutsideSignInSettings = IdentityClaims & {
  issuer: string;
  clientId: string;
  /** Null for a public client, which has only PKCE. */
  clientSecret: Secret | null;
  scopes: string;
  /** The public base URL. */
  url: string;
};

type Dependencies = { clock: Clock; outbound: Outbound; vault: Vault; log: Log };

/** What the browser keeps, sealed, until it comes back. */
type Begun = { state: string; nonce: string; verifier: string; until: number };

export const BEGUN_SECONDS = 600;
const FRESH_MS = 3_600_000;
/** A provider that doesn't respond is left alone for a while, however many people want to sign in. */
const REST_MS = 3_000;
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 256 * 1024;
const PURPOSE = 'outside sign-in';

/** Where the identity provider sends people back to. It must be registered there. */
export const outsideCallbackUrl = (url: string): string => `${url}/sign-in/callback`;

/** The operator has set the issuer, so it may be a private address. The size of its response is limited all the same. */
const fetchThrough =
  (outbound: Outbound) =>
  async (
    url: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  ): Promise<Response> => {
    const answer = await outbound.request({
      url,
      method: method as 'GET' | 'POST',
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      trusted: true,
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
    });
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      headers: { 'content-type': answer.headers['content-type'] ?? '' },
    });
  };

/**
 * Signing in with the operator's identity provider: the OpenID Connect code flow with PKCE. It starts and ends in the
 * same browser, which carries its state in a sealed cookie, so that nobody is signed in with someone else's response.
 */
export const createOutsideSignIn = ({ clock, outbound, vault, log }: Dependencies, settings: OutsideSignInSettings) => {
  const { issuer, clientId, clientSecret, scopes, url } = settings;
  const redirectUri = outsideCallbackUrl(url);
  const options = {
    [oauth.customFetch]: fetchThrough(outbound),
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  };
  const authenticate = clientSecret ? oauth.ClientSecretBasic(clientSecret.reveal()) : oauth.None();
  let failedAt = Number.NEGATIVE_INFINITY;
  let known: { at: number; server: Promise<oauth.AuthorizationServer> } | null = null;

  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const address = new URL(issuer);
    return oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, options));
  };

  const getServer = async (): Promise<oauth.AuthorizationServer> => {
    const now = clock.now();
    if (Math.abs(now - failedAt) < REST_MS) throw identityProviderAway();
    if (known && Math.abs(now - known.at) < FRESH_MS) return known.server;
    const server = discover().catch((err) => {
      known = null;
      failedAt = clock.now();
      log.warn({ err }, "the identity provider's discovery document cannot be fetched");
      throw identityProviderAway();
    });
    known = { at: now, server };
    return server;
  };

  const openBegun = (sealed: string): Begun => {
    try {
      const begun: Begun = JSON.parse(vault.openPassing(PURPOSE, [issuer, clientId], sealed).toString('utf8'));
      if (begun.until >= clock.now()) return begun;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
    }
    throw outsideSignInStale();
  };

  /** Asks for claims that aren't in the token itself. If that fails, the token says enough or it doesn't. */
  const completeClaims = async (
    server: oauth.AuthorizationServer,
    client: oauth.Client,
    accessToken: string,
    claims: oauth.IDToken,
  ): Promise<Readonly<Record<string, unknown>>> => {
    if (server.userinfo_endpoint === undefined) return claims;
    try {
      const answer = await oauth.userInfoRequest(server, client, accessToken, options);
      return { ...(await oauth.processUserInfoResponse(server, client, claims.sub, answer)), ...claims };
    } catch (err) {
      log.warn({ err }, 'the user info of the identity provider cannot be fetched, so only the token is used');
      return claims;
    }
  };

  const exchange = async (
    server: oauth.AuthorizationServer,
    answered: URLSearchParams,
    begun: Begun,
  ): Promise<OutsideIdentity | null> => {
    // The library uses its own clock, so it's told how far off that is.
    const skewSeconds = Math.round((clock.now() - Date.now()) / 1_000);
    const client: oauth.Client = { client_id: clientId, [oauth.clockSkew]: skewSeconds, [oauth.clockTolerance]: 30 };
    const params = oauth.validateAuthResponse(server, client, answered, begun.state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      params,
      redirectUri,
      begun.verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: begun.nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, answer, options);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    return claims ? readIdentity(settings, await completeClaims(server, client, tokens.access_token, claims)) : null;
  };

  return {
    /** Where to send the browser, and what it keeps in the meantime. */
    async begin(): Promise<{ address: string; sealed: string }> {
      const { authorization_endpoint } = await getServer();
      if (authorization_endpoint === undefined) throw identityProviderAway();
      const begun: Begun = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        until: clock.now() + BEGUN_SECONDS * 1_000,
      };
      const address = new URL(authorization_endpoint);
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
      }))
        address.searchParams.set(name, value);
      return {
        address: address.href,
        sealed: vault.sealPassing(PURPOSE, [issuer, clientId], Buffer.from(JSON.stringify(begun))),
      };
    },
    /** Who has signed in there. */
    async finish(answered: URLSearchParams, sealed: string): Promise<OutsideIdentity> {
      const begun = openBegun(sealed);
      const server = await getServer();
      const identity = await exchange(server, answered, begun).catch((err) => {
        // The provider's words may contain anything, so only the log gets them.
        log.warn({ err }, 'a sign-in with the identity provider was refused');
        throw outsideSignInRefused("The identity provider didn't confirm who you are.");
      });
      if (!identity)
        throw outsideSignInRefused(
          `The identity provider sent no team (claim "${settings.teamClaim}") or no user (claim "${settings.userClaim}").`,
        );
      return identity;
    },
  };
};

export type OutsideSignIn = ReturnType<typeof createOutsideSignIn>;
