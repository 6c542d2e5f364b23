import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import { type Outbound, OWN, stepAside, workFor } from '../../platform/index.ts';
import { ASSERTION_ALGORITHMS } from '../catalogue/client.ts';
import type {
  DiscoveredRecord,
  FullRecord,
  OauthProvider,
  RequestFields,
  ResolvedProvider,
} from '../catalogue/provider.ts';
import type { IntegrationsContext } from '../context.ts';
import { issuerAway } from '../errors.ts';
import type { AskContext } from './ask-provider.ts';

const FRESH_MS = 3_600_000;
const REST_MS = 10_000;
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 256 * 1024;

type Metadata = Awaited<ReturnType<typeof processDiscoveryResponse>>;

/** Sends the library's requests through `outbound`, which checks their hosts. */
const fetchThrough =
  (outbound: Outbound, trusted: boolean) =>
  async (url: string): Promise<Response> => {
    const { status, headers, body } = await outbound.request({
      url,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
      trusted,
    });
    const contentType = headers['content-type'] ?? '';
    return new Response(new Uint8Array(body), { status, headers: { 'content-type': contentType } });
  };

/** How a client with a secret authenticates. A client with a private key always signs an assertion. */
const authOf = (methods: readonly string[]): NonNullable<RequestFields['auth']> => {
  const withSecret = (['basic', 'post'] as const).find((way) => methods.includes(`client_secret_${way}`));
  return withSecret ?? (methods.includes('private_key_jwt') ? 'private_key_jwt' : 'none');
};

const toFullRecord = (record: DiscoveredRecord, metadata: Metadata): FullRecord => {
  const { authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint } = metadata;
  if (!authorization_endpoint || !token_endpoint) throw issuerAway();
  const addresses = [authorization_endpoint, token_endpoint, revocation_endpoint, userinfo_endpoint];
  // If the issuer's URL is https, its endpoints must be, too, so that no secret is sent unencrypted.
  if (record.issuer.startsWith('https:') && addresses.some((address) => address && !address.startsWith('https:')))
    throw issuerAway();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const auth = authOf(methods);
  const algorithms = ASSERTION_ALGORITHMS.filter((algorithm) =>
    metadata.token_endpoint_auth_signing_alg_values_supported?.includes(algorithm),
  );
  const offline = metadata.scopes_supported?.includes('offline_access') ? ['offline_access'] : [];
  const openid = userinfo_endpoint ? ['openid'] : [];
  return {
    pkce: 'required',
    refresh: { rotates: 'unknown' },
    ...(algorithms.length > 0 ? { assertion: { algorithms } } : {}),
    issuerInCallback: metadata.authorization_response_iss_parameter_supported === true,
    requiredScopes: [...openid, ...offline],
    ...(revocation_endpoint ? { revoke: { url: revocation_endpoint, auth } } : {}),
    ...(userinfo_endpoint ? { identity: { url: userinfo_endpoint, id: 'sub', label: 'email' } } : {}),
    ...record,
    authorize: { url: authorization_endpoint, ...(offline.length > 0 ? { params: { prompt: 'consent' } } : {}) },
    token: { url: token_endpoint, auth },
  };
};

/**
 * Fills in an entry while its issuer is unreachable. The result is only for storing a revocation, which is tried once
 * the issuer is back.
 */
export const presume = ({ record, custom }: OauthProvider): ResolvedProvider => {
  if ('authorize' in record) return { record, custom };
  const { issuer: url } = record;
  return { record: { revoke: { url }, ...record, authorize: { url }, token: { url } }, custom };
};

/**
 * Completes an entry in the short form by discovery (OpenID, or else RFC 8414), and caches the result for an hour. A
 * full entry is returned as it is.
 */
export const createDiscovery = ({ outbound, clock, log }: AskContext): IntegrationsContext['discover'] => {
  const known = new Map<string, { at: number; freshMs: number; resolved: Promise<ResolvedProvider> }>();

  const fetchMetadata = async (issuer: URL, algorithm: 'oidc' | 'oauth2', trusted: boolean): Promise<Metadata> => {
    const response = await discoveryRequest(issuer, {
      algorithm,
      [allowInsecureRequests]: issuer.protocol === 'http:',
      [customFetch]: fetchThrough(outbound, trusted),
    });
    return processDiscoveryResponse(issuer, response);
  };

  const discover = async (record: DiscoveredRecord, custom: boolean): Promise<ResolvedProvider> => {
    const issuer = new URL(record.issuer);
    const metadata = await fetchMetadata(issuer, 'oidc', custom)
      .catch(() => fetchMetadata(issuer, 'oauth2', custom))
      .catch((err) => {
        log.warn({ err, provider: record.id }, "an issuer's configuration cannot be fetched");
        throw issuerAway();
      });
    return { record: toFullRecord(record, metadata), custom, discovered: true };
  };

  return ({ record, custom }) => {
    if ('authorize' in record) return { record, custom };
    const now = clock.now();
    const found = known.get(record.id);
    if (found && now >= found.at && now - found.at < found.freshMs) return found.resolved;
    // While the issuer is unreachable, use its last response. All teams share the result, so the request runs under our
    // own quota (`OWN`), not in the queue of the team that happened to need it first.
    stepAside();
    const resolved = workFor(OWN, () => discover(record, custom)).catch(
      (error) => found?.resolved ?? Promise.reject(error),
    );
    known.set(record.id, { at: now, freshMs: FRESH_MS, resolved });
    // After a failure, don't ask the issuer again for a moment. Measure that from the failure, not from the request,
    // because an issuer that hangs takes long to fail.
    resolved.catch(() => known.set(record.id, { at: clock.now(), freshMs: REST_MS, resolved }));
    return resolved;
  };
};
