import type { ProviderFailure } from './provider-failure.ts';

/** The same clear no, time and again. */
export type RepeatedRefusal = { how: string; since: number; times: number };

const DAY_MS = 24 * 3_600_000;
const DAYS = 3;
/** With an outage in between, two refusals may lie days apart. */
const LEAST_TIMES = 10;

export const isRefusal = ({ kind }: ProviderFailure): boolean => kind === 'refused' || kind === 'invalid_client';

/** What is known after one more failure. An outage in between says nothing about the refusal, and does not end it. */
export const countRefusal = (
  earlier: RepeatedRefusal | null,
  failure: ProviderFailure,
  now: number,
): RepeatedRefusal | null => {
  if (!isRefusal(failure)) return earlier;
  const how = `${failure.kind} ${failure.code ?? ''}`.trim();
  return earlier?.how === how ? { ...earlier, times: earlier.times + 1 } : { how, since: now, times: 1 };
};

/** Whether it has gone on for so long that waiting for something else makes no sense. */
export const isLasting = ({ since, times }: RepeatedRefusal, now: number): boolean =>
  times >= LEAST_TIMES && now - since >= DAYS * DAY_MS;

export const describeLasting = ({ code }: ProviderFailure): string =>
  `The provider has refused to renew this connection for ${DAYS} days, always in the same way, and did not say why.${
    code ? ` Its code was "${code}".` : ''
  } Connect it again.`;
