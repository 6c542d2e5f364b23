import type { Clock, Log } from '../../../platform/index.ts';
import { type SeenReason, toRefusalWords } from './refusal-words.ts';

/** How often the same refusal is logged. Anyone can send messages to the operator's address. */
const LOG_EVERY_MS = 60_000;

/** What this process has seen at an address of the operator's. */
export type OperatorSighting = {
  delivery: { at: number; type: string } | null;
  refusal: { at: number; reason: SeenReason } | null;
};

/**
 * Notes what arrives at the operator's addresses: in memory, until the process ends. There is one address for each
 * provider that is set up, so it needs no limit. Nothing of a message but its type is kept, and nothing is logged.
 */
export const createOperatorSightings = ({ clock, log }: { clock: Clock; log: Log }) => {
  const seen = new Map<string, OperatorSighting>();
  const loggedAt = new Map<string, number>();
  const find = (provider: string): OperatorSighting => seen.get(provider) ?? { delivery: null, refusal: null };

  return {
    find,
    delivered(provider: string, type: string): void {
      seen.set(provider, { ...find(provider), delivery: { at: clock.now(), type } });
    },
    refused(provider: string, reason: SeenReason): void {
      const now = clock.now();
      seen.set(provider, { ...find(provider), refusal: { at: now, reason } });
      const key = `${provider} ${reason}`;
      if (Math.abs(now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY)) < LOG_EVERY_MS) return;
      loggedAt.set(key, now);
      log.warn({ provider, reason }, `a webhook at the operator's address was refused: ${toRefusalWords(reason)}`);
    },
  };
};

export type OperatorSightings = ReturnType<typeof createOperatorSightings>;
