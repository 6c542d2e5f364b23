import type { Client } from '../catalogue/client.ts';
import { describeFailure, type ProviderFailure } from '../catalogue/provider-failure.ts';

/**
 * What other connections show about a client that is refused for one connection.
 *
 * `works`: the client got tokens at the same host within the last day. `works_elsewhere`: it got tokens only at other
 * hosts, and no other connection uses it at this one. `alone`: no other connection uses the client, which is usual for
 * a team's own client. `unproven`: other connections use the client, but it works for none of them.
 */
export type ClientStanding = 'works' | 'works_elsewhere' | 'alone' | 'unproven';

type Count = { since: number; times: number };

/**
 * Clear refusals since the last success. `same` counts repetitions of the latest refusal, and `any` counts refusals of
 * all kinds.
 */
export type RepeatedRefusal = { same: (Count & { how: string }) | null; any: Count | null };

/** `client` is set if the client is refused. `same` is true if the refusal was the same every time. */
export type LastingRefusal = { since: number; now: number; client: ClientStanding | null; same: boolean };

const DAY_MS = 24 * 3_600_000;
const DAYS_OF_SAME = 3;
const DAYS_OF_ANY = 7;
/** Fewer refusals prove little: two of them may be days apart, with an outage in between. */
const LEAST_TIMES = 10;

const REFUSALS: readonly ProviderFailure['kind'][] = ['refused', 'invalid_client', 'client_replaced'];

/** Whether connecting again may help. It doesn't help if the operator's client is refused for everyone. */
const isBelieved = ({ kind }: ProviderFailure, client: ClientStanding | null): boolean =>
  REFUSALS.includes(kind) && client !== 'unproven';

/**
 * Whether the provider clearly refused the grant: with an error, or with a page, a redirect or an empty response
 * instead of tokens. Errors about the client are handled separately.
 */
const isClearNo = ({ kind, httpStatus }: ProviderFailure): boolean =>
  kind === 'refused' || (kind === 'unclear' && httpStatus !== undefined);

const countOnce = (earlier: Count | null | undefined, now: number): Count => ({
  since: earlier?.since ?? now,
  times: (earlier?.times ?? 0) + 1,
});

/**
 * Counts one more failure. An outage in between doesn't reset the count, but a change of `client` does. Suppose that a
 * wrong secret is fixed in one process after the other. Once the client works for some connections, `client` changes,
 * and connections that still fail are counted from the start again.
 */
export const countRefusal = (
  earlier: RepeatedRefusal | null,
  failure: ProviderFailure,
  client: ClientStanding | null,
  now: number,
): RepeatedRefusal | null => {
  const { kind, httpStatus, code } = failure;
  const isRefusal = REFUSALS.includes(kind);
  if (!isRefusal && !isClearNo(failure)) return earlier;
  const any = isClearNo(failure) ? countOnce(earlier?.any, now) : (earlier?.any ?? null);
  if (!isRefusal) return { same: earlier?.same ?? null, any };
  const how = [kind, httpStatus, code, client && `(${client})`].filter((word) => word != null).join(' ');
  const before = earlier?.same?.how === how ? earlier.same : null;
  return { same: { how, ...countOnce(before, now) }, any };
};

const hasLasted = ({ since, times }: Count, days: number, now: number): boolean =>
  times >= LEAST_TIMES && now - since >= days * DAY_MS;

/** Finds a refusal that has lasted so long that someone should be asked to connect again. */
export const findLasting = (
  refusal: RepeatedRefusal | null,
  failure: ProviderFailure,
  client: ClientStanding | null,
  now: number,
): LastingRefusal | null => {
  const { same, any } = refusal ?? {};
  if (same && isBelieved(failure, client) && hasLasted(same, DAYS_OF_SAME, now))
    return { since: same.since, now, client, same: true };
  if (any && isClearNo(failure) && hasLasted(any, DAYS_OF_ANY, now))
    return { since: any.since, now, client: null, same: false };
  return null;
};

/**
 * Says only what is known, because the refusal may come from a proxy on the way to the provider. The weekly report
 * shows 150 characters, so the important part comes first.
 */
const summarize = ({ client, same }: LastingRefusal, clientOf: Client['of']): string => {
  if (!same) return 'no renewal has succeeded, though access may not have ended';
  if (client === null) return 'renewals have been refused, though access may not have ended';
  if (client === 'works')
    return 'renewals have been refused because of the client ID and secret, which work for other connections';
  return clientOf === 'team'
    ? "renewals have been refused because of your team's own client ID and secret, so check those first"
    : 'renewals have been refused. The client ID and secret are wrong, which only your administrator can fix, or access has ended';
};

export const describeLasting = (failure: ProviderFailure, lasting: LastingRefusal, clientOf: Client['of']): string => {
  const { kind, httpStatus, code } = failure;
  if (kind === 'client_replaced') return `${describeFailure(failure)} Connect again.`;
  const days = Math.floor((lasting.now - lasting.since) / DAY_MS);
  const response = [httpStatus && `HTTP status ${httpStatus}`, code && `code "${code}"`].filter(Boolean).join(', ');
  const told = response && ` (${lasting.same ? '' : 'last response: '}${response})`;
  const advice = 'Patchbay keeps trying once a day. To fix it sooner, connect again.';
  return `For ${days} days, ${summarize(lasting, clientOf)}${told}. ${advice}`;
};
