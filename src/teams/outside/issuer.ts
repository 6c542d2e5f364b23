import type { Outbound } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { identityProviderAway } from '../errors.ts';

const TIMEOUT_MS = 5_000;
const REST_MS = 3_000;

type Options = { method?: string; headers?: Record<string, string>; body?: unknown };

/** Makes requests to the issuer. The operator has chosen the issuer, so its IP address may be private. */
export const createFetch =
  (outbound: Outbound, mostBytes: number) =>
  async (url: string, { method = 'GET', headers = {}, body }: Options = {}): Promise<Response> => {
    const response = await outbound.request({
      url,
      method: method as 'GET' | 'POST',
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      trusted: true,
      timeoutMs: TIMEOUT_MS,
      mostBytes,
    });
    return new Response(new Uint8Array(response.body), {
      status: response.status,
      headers: { 'content-type': response.headers['content-type'] ?? '' },
    });
  };

/** After a failure, stops requests to the issuer for a while, no matter how many callers wait. */
export const createRest = ({ clock }: Pick<TeamsContext, 'clock'>) => {
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Throws while requests are stopped. */
    check(): void {
      if (Math.abs(clock.now() - failedAt) < REST_MS) throw identityProviderAway();
    },
    begin(): void {
      failedAt = clock.now();
    },
  };
};

/** Caches the discovered configuration. */
export const keepDiscovered = <Discovered>(
  { clock, log }: TeamsContext,
  discover: () => Promise<Discovered>,
  freshMs = Number.POSITIVE_INFINITY,
) => {
  const rest = createRest({ clock });
  let known: { at: number; discovered: Promise<Discovered> } | null = null;
  return async (): Promise<Discovered> => {
    const now = clock.now();
    rest.check();
    if (known && Math.abs(now - known.at) < freshMs) return known.discovered;
    const discovered = discover().catch((err) => {
      known = null;
      rest.begin();
      log.warn({ err }, "the identity provider's discovery document cannot be fetched");
      throw identityProviderAway();
    });
    known = { at: now, discovered };
    return discovered;
  };
};
