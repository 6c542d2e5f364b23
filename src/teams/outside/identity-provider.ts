import type { createRemoteJWKSet, JWTPayload } from 'jose';
import type { Clock, Outbound } from '../../platform/index.ts';
import { identityProviderAway } from '../errors.ts';
import { type IdentityClaims, type OutsideIdentity, readIdentity } from '../records/outside-identity.ts';

export type IdentityProviderSettings = IdentityClaims & { issuer: string; audience: string };

/** Public-key algorithms only: with a shared secret, whoever can check a token could also make one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1_000_000;
const REST_MS = 3_000;
const CLOCK_TOLERANCE_S = 30;

/** Loaded on demand, because not every installation has an identity provider. */
const loadJose = () => import('jose');

type Jose = Awaited<ReturnType<typeof loadJose>>;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** The operator has set the issuer, so it may be a private address. The size of its response is limited all the same. */
const readDocument = async (outbound: Outbound, url: string): Promise<Response> => {
  const { status, body } = await outbound.request({ url, trusted: true, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES });
  return new Response(new Uint8Array(body), { status });
};

const discover = async (outbound: Outbound, issuer: string): Promise<KeySet> => {
  const response = await readDocument(outbound, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`Discovery returned status ${response.status}.`);
  const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string')
    throw new Error('Discovery returned a different issuer or no keys.');
  const { createRemoteJWKSet, customFetch } = await loadJose();
  return createRemoteJWKSet(new URL(metadata.jwks_uri), {
    [customFetch]: (url: string) => readDocument(outbound, url),
  });
};

/** If the keys can't be fetched, the provider is at fault. For any other failure, the token is. */
const isProvidersTrouble = (error: unknown, errors: Jose['errors']): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  !(error instanceof errors.JOSEError) ||
  error.code === 'ERR_JOSE_GENERIC';

export const createIdentityProvider = (
  { clock, outbound }: { clock: Clock; outbound: Outbound },
  settings: IdentityProviderSettings,
) => {
  let keySet: Promise<KeySet> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  const getKeySet = async (): Promise<KeySet> => {
    // A provider that doesn't respond is left alone for a while, however many tokens are waiting for it.
    if (Math.abs(clock.now() - failedAt) < REST_MS) throw identityProviderAway();
    keySet ??= discover(outbound, settings.issuer).catch((error) => {
      keySet = undefined;
      failedAt = clock.now();
      throw error;
    });
    return keySet;
  };

  const verify = async (token: string): Promise<JWTPayload | null> => {
    const { errors, jwtVerify } = await loadJose();
    try {
      const { payload } = await jwtVerify(token, await getKeySet(), {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch (error) {
      if (isProvidersTrouble(error, errors)) throw identityProviderAway();
      return null;
    }
  };

  return {
    /** Null for an invalid token, or one that names no team or user. */
    async identify(token: string): Promise<OutsideIdentity | null> {
      const payload = await verify(token);
      return payload && readIdentity(settings, payload);
    },
  };
};

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;
