import type { JWTPayload } from 'jose';
import { Refusal } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { claimUnusable, identityProviderAway } from '../errors.ts';
import type { Holder } from '../records/holder.ts';
import { type IdentitySettings, readIdentity } from '../records/outside-identity.ts';
import { createAdmitOutsideUser } from './admit-outside-user.ts';
import { createFetch, createRest, keepDiscovered } from './issuer.ts';

/** Public-key algorithms only: with a shared secret, anyone who can check a token could also make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** More than any provider's key set has. Limited, because checking a token may go through all keys. */
const MOST_BYTES = 128 * 1_024;
const CLOCK_TOLERANCE_S = 30;

/** Loads the library on demand, because not every installation has an identity provider. */
const loadJose = () => import('jose');

/** Reads a key set. Throws if the response isn't a key set. A key is checked only when a token names it. */
const readKeys = async (response: Response): Promise<object[]> => {
  if (response.status !== 200) throw new Error(`The keys came with status ${response.status}.`);
  const { keys } = Object((await response.json()) as unknown) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('There are no keys.');
  return keys.filter((key) => typeof key === 'object' && key !== null && !Array.isArray(key));
};

/** Admits bearer tokens of the operator's identity provider. */
export const createAdmitOutsideToken = (context: TeamsContext, settings: IdentitySettings) => {
  const { clock, outbound, log } = context;
  const { issuer, audience } = settings;
  const admitOutsideUser = createAdmitOutsideUser(context);
  const fetchDocument = createFetch(outbound, MOST_BYTES);
  const rest = createRest(context);
  /**
   * Fetches the keys. After a failure, pauses requests for a while, because anyone can cause requests with tokens that
   * name unknown keys. The library itself only pauses after a success.
   */
  const fetchKeys = async (url: string): Promise<Response> => {
    rest.check();
    try {
      return Response.json({ keys: await readKeys(await fetchDocument(url)) });
    } catch (err) {
      rest.begin();
      log.warn({ err }, "the identity provider's keys cannot be fetched");
      throw identityProviderAway();
    }
  };

  const getKeySet = keepDiscovered(context, async () => {
    const response = await fetchDocument(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (!response.ok) throw new Error(`Discovery returned status ${response.status}.`);
    const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
    if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string')
      throw new Error('Discovery returned a different issuer or no keys.');
    const { createRemoteJWKSet, customFetch } = await loadJose();
    return createRemoteJWKSet(new URL(metadata.jwks_uri), { [customFetch]: fetchKeys });
  });

  const verify = async (token: string): Promise<JWTPayload | null> => {
    const { jwtVerify } = await loadJose();
    try {
      const { payload } = await jwtVerify(token, await getKeySet(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch (error) {
      // A refusal means that the keys can't be fetched. Any other error is the token's fault.
      if (error instanceof Refusal) throw error;
      return null;
    }
  };

  /** Returns null for an invalid token, and for a member who was removed in Patchbay. */
  return async (token: string): Promise<Holder | null> => {
    const payload = await verify(token);
    if (!payload) return null;
    const identity = readIdentity(settings, payload);
    // Only the holder of a valid token learns about this problem in the operator's settings.
    if ('unnamed' in identity) throw claimUnusable(identity);
    return admitOutsideUser(identity);
  };
};
