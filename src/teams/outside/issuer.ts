import type { Outbound } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { identityProviderAway } from '../errors.ts';

const TIMEOUT_MS = 5_000;
const REST_MS = 3_000;

type Options = { method?: string; headers?: Record<string, string>; body?: unknown };

/** The operator has set the issuer, so it may be a private address. The size of its response is limited all the same. */
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

/** An issuer that doesn't respond is left alone for a while, however many wait for it. */
export const createRest = ({ clock }: Pick<TeamsContext, 'clock'>) => {
  let failedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Throws during a rest. */
    check(): void {
      if (Math.abs(clock.now() - failedAt) < REST_MS) throw identityProviderAway();
    },
    begin(): void {
      failedAt = clock.now();
    },
  };
};

/** Keeps what was discovered. */
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
