import type { ClientStanding } from './client-standing.ts';
import { describeFailure, type ProviderFailure } from './provider-failure.ts';
import type { Client } from './provider-request.ts';

/** The same clear no, time and again. */
export type RepeatedRefusal = { how: string; since: number; times: number };

const DAY_MS = 24 * 3_600_000;
const DAYS = 3;
/** With an outage in between, two refusals may lie days apart. */
const LEAST_TIMES = 10;

const REFUSALS: readonly ProviderFailure['kind'][] = ['refused', 'invalid_client', 'client_replaced'];

/** A refusal that has gone on for days; `client` where it is the client that is refused. */
export type LastingRefusal = { since: number; now: number; client: ClientStanding | null };

/** Whether a reconnect may help. Where the operator's client is refused for everybody, it does not. */
export const isBelieved = ({ kind }: ProviderFailure, client: ClientStanding | null): boolean =>
  REFUSALS.includes(kind) && client !== 'unproven';

/**
 * What is known after one more failure. An outage in between says nothing about the refusal, and does not end it. A client
 * that is refused for everybody is another matter than one that works for others, so the days are counted apart: else a
 * wrong secret that is mended one process at a time would end what the last of them still tries.
 */
export const countRefusal = (
  earlier: RepeatedRefusal | null,
  failure: ProviderFailure,
  client: ClientStanding | null,
  now: number,
): RepeatedRefusal | null => {
  const { kind, httpStatus, code } = failure;
  if (!REFUSALS.includes(kind)) return earlier;
  const how = [kind, httpStatus, code, client && `(${client})`].filter((word) => word != null).join(' ');
  return earlier?.how === how ? { ...earlier, times: earlier.times + 1 } : { how, since: now, times: 1 };
};

/** Whether it has gone on for so long that somebody should be asked to connect again. */
export const isLasting = ({ since, times }: RepeatedRefusal, now: number): boolean =>
  times >= LEAST_TIMES && now - since >= DAYS * DAY_MS;

/** What is known, and no more: a refusal may come from something that stands between here and the provider. */
const blame = (client: ClientStanding | null, clientOf: Client['of']): string => {
  if (client === null) return 'The answer does not say why, and access may not have ended.';
  if (client === 'works') return 'The answer blames the client id and secret, but they work for other connections.';
  return clientOf === 'team'
    ? "The answer blames your team's own client id and secret: check those first."
    : 'The answer blames the client id and secret: either they are wrong, which only the operator can fix, or access has ended.';
};

export const describeLasting = (
  failure: ProviderFailure,
  { since, now, client }: LastingRefusal,
  clientOf: Client['of'],
): string => {
  const { kind, httpStatus, code } = failure;
  if (kind === 'client_replaced') return `${describeFailure(failure)} Connect again.`;
  const days = Math.floor((now - since) / DAY_MS);
  const answer = [httpStatus && `HTTP status ${httpStatus}`, code && `code "${code}"`].filter(Boolean).join(', ');
  return [
    `For ${days} days, attempts to renew this connection have been refused in the same way${answer && ` (${answer})`}.`,
    blame(client, clientOf),
    'Patchbay keeps trying once a day. To fix it sooner, connect again.',
  ].join(' ');
};
