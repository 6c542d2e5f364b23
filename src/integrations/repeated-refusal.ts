import type { ProviderFailure } from './provider-failure.ts';

/** The same clear no, time and again. */
export type RepeatedRefusal = { how: string; since: number; times: number };

const DAY_MS = 24 * 3_600_000;
const DAYS = 3;
/** With an outage in between, two refusals may lie days apart. */
const LEAST_TIMES = 10;

const isRefusal = ({ kind }: ProviderFailure): boolean => kind === 'refused' || kind === 'invalid_client';

/** Whether a reconnect may help: where the client works for nobody, it does not. */
export const isBelieved = ({ kind }: ProviderFailure, clientWorks: boolean): boolean =>
  kind === 'refused' || (kind === 'invalid_client' && clientWorks);

/**
 * What is known after one more failure. An outage in between says nothing about the refusal, and does not end it. A client
 * that is refused for everybody is another matter than one that works for others, so the days are counted apart.
 */
export const countRefusal = (
  earlier: RepeatedRefusal | null,
  failure: ProviderFailure,
  clientWorks: boolean,
  now: number,
): RepeatedRefusal | null => {
  if (!isRefusal(failure)) return earlier;
  const { kind, httpStatus, code } = failure;
  const client = kind === 'invalid_client' && clientWorks ? '(works for others)' : null;
  const how = [kind, httpStatus, code, client].filter((word) => word != null).join(' ');
  return earlier?.how === how ? { ...earlier, times: earlier.times + 1 } : { how, since: now, times: 1 };
};

/** Whether it has gone on for so long that somebody should be asked to connect again. */
export const isLasting = ({ since, times }: RepeatedRefusal, now: number): boolean =>
  times >= LEAST_TIMES && now - since >= DAYS * DAY_MS;

/** The refusal may come from something that stands between here and the provider. */
const WORDS = {
  refused: 'The answer does not say why, and access may not have ended.',
  invalid_client: 'The answer blames the client id and secret, but they work for other connections.',
};

export const describeLasting = ({ kind, httpStatus, code }: ProviderFailure): string => {
  const answer = [httpStatus && `HTTP status ${httpStatus}`, code && `code "${code}"`].filter(Boolean).join(', ');
  return [
    `For ${DAYS} days, attempts to renew this connection have been refused in the same way${answer && ` (${answer})`}.`,
    kind === 'invalid_client' ? WORDS.invalid_client : WORDS.refused,
    'Patchbay keeps trying once a day. To fix it sooner, connect again.',
  ].join(' ');
};
