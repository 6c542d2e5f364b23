import type { Transaction } from '../../platform/index.ts';
import { FAILING_MS, isAccepted, isGone, LEAST_DAYS_TRIED, type SendAttempt } from '../attempts/attempt.ts';
import { insertAttempts, trimAttempts } from '../attempts/attempt-store.ts';
import { nextWaitMs } from '../attempts/retry.ts';
import { deleteRetries, putRetries, type RetryRow } from '../attempts/retry-store.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Item } from './feed-reader.ts';
import { countDaysTried, deactivateEndpoint, putOutcome } from './progress-store.ts';
import type { FeedTracks, Track } from './track.ts';

/** The result of an attempt to send an event. */
export type SendResult = { endpoint: Endpoint; tracks: FeedTracks; item: Item; attempt: SendAttempt };

type EndReason = 'gone' | 'failing';

export type ResultsContext = Pick<EventsContext, 'newId' | 'clock'> & {
  /**
   * Runs in the transaction that turns an endpoint off. Called in the order of team IDs, because it locks the team's
   * alerts, and locking in different orders could deadlock.
   */
  onDeactivated(tx: Transaction, endpoint: Endpoint, reason: EndReason): Promise<void>;
  /** Deletes the retries of an endpoint that was deactivated. */
  clearRetries(endpointId: string): void;
};

/** The time of the last success, or of the last failure. */
const lastOf = (results: readonly SendResult[], accepted: boolean): number | null => {
  const times = results.filter(({ attempt }) => isAccepted(attempt) === accepted).map(({ attempt }) => attempt.at);
  return times.length > 0 ? Math.max(...times) : null;
};

const keyOf = ({ endpointId, eventId }: Pick<RetryRow, 'endpointId' | 'eventId'>): string => `${endpointId} ${eventId}`;

const endedOn = (results: readonly SendResult[], track: Track): Set<number> =>
  new Set(results.filter(({ item }) => item.track === track).map(({ item }) => item.event.position));

const retryOf = ({ endpoint, item, attempt }: SendResult, now: number): RetryRow | null => {
  if (isAccepted(attempt)) return null;
  const attempts = item.attempts + 1;
  const waitMs = nextWaitMs(attempts, attempt.retryAfterMs, Math.random());
  return waitMs === null ? null : { endpointId: endpoint.id, eventId: item.event.id, attempts, nextAt: now + waitMs };
};

const putAttempts = async (
  { newId }: Pick<ResultsContext, 'newId'>,
  tx: Transaction,
  results: readonly SendResult[],
): Promise<void> => {
  await insertAttempts(
    tx,
    results.map(({ endpoint, item, attempt: { retryAfterMs: _, ...attempt } }) => {
      const { id: endpointId, teamId } = endpoint;
      return { ...attempt, id: newId(), teamId, eventId: item.event.id, endpointId };
    }),
  );
  const again = results.filter(({ item, tracks }) => item.track !== tracks.main).map(({ item }) => item.event.id);
  if (again.length > 0) await trimAttempts(tx, [...new Set(again)]);
};

/** Plans retries of failed events, and deletes retries that are done. */
const replaceRetries = async (tx: Transaction, results: readonly SendResult[], now: number): Promise<void> => {
  const planned = results.map((result) => retryOf(result, now)).filter((retry) => retry !== null);
  // An event that is both new and replayed can fail twice at once. Keep one retry.
  const retries = new Map(planned.map((retry) => [keyOf(retry), retry]));
  const over = results
    .filter(({ item }) => item.track === null)
    .map(({ endpoint, item }) => ({ endpointId: endpoint.id, eventId: item.event.id }))
    .filter((retry) => !retries.has(keyOf(retry)));
  if (retries.size > 0) await putRetries(tx, [...retries.values()]);
  if (over.length > 0) await deleteRetries(tx, over);
};

const reasonToEnd = async (
  tx: Transaction,
  endpointId: string,
  results: readonly SendResult[],
  { failingSince, now }: { failingSince: number | null; now: number },
): Promise<EndReason | null> => {
  if (results.some(({ attempt }) => isGone(attempt))) return 'gone';
  if (failingSince === null || now - failingSince < FAILING_MS) return null;
  // By the clock, `FAILING_MS` is over, but the clock may have jumped ahead. So also require attempts on several days.
  return (await countDaysTried(tx, endpointId, failingSince)) >= LEAST_DAYS_TRIED ? 'failing' : null;
};

/** Stores an endpoint's progress. Returns why the endpoint was deactivated, if it was. */
const putEndpoint = async (
  { clock, clearRetries }: ResultsContext,
  tx: Transaction,
  { endpoint, tracks }: SendResult,
  results: readonly SendResult[],
): Promise<EndReason | null> => {
  const { replay } = tracks;
  const stored = await putOutcome(tx, {
    id: endpoint.id,
    position: tracks.main.toldIf(endedOn(results, tracks.main)),
    replayUntil: replay ? endpoint.replayUntil : null,
    replayPosition: replay?.toldIf(endedOn(results, replay)) ?? null,
    lastSuccessAt: lastOf(results, true),
    lastFailureAt: lastOf(results, false),
  });
  if (!stored) return null;
  // Remove this replay's track now. The next replay may begin before the endpoint is read again, and needs its own
  // track.
  if (replay && stored.replayUntil === null)
    tx.afterCommit(() => {
      if (tracks.replay === replay) tracks.replay = null;
    });
  const now = clock.now();
  const reason = await reasonToEnd(tx, endpoint.id, results, { failingSince: stored.failingSince, now });
  if (!reason || (await deactivateEndpoint(tx, endpoint.id, reason, now)) === 0) return null;
  tx.afterCommit(() => clearRetries(endpoint.id));
  return reason;
};

/** Stores results: the attempts, the retries, and each endpoint's progress. */
export const putResults = async (
  context: ResultsContext,
  tx: Transaction,
  results: readonly SendResult[],
): Promise<void> => {
  await putAttempts(context, tx, results);
  await replaceRetries(tx, results, context.clock.now());
  const ended: { endpoint: Endpoint; reason: EndReason }[] = [];
  // Update endpoints in the same order in every process, to avoid deadlocks.
  const byEndpoint = [...Map.groupBy(results, ({ endpoint }) => endpoint.id)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, ofEndpoint] of byEndpoint) {
    const [first] = ofEndpoint;
    const reason = first && (await putEndpoint(context, tx, first, ofEndpoint));
    if (reason) ended.push({ endpoint: first.endpoint, reason });
  }
  ended.sort((a, b) => (a.endpoint.teamId < b.endpoint.teamId ? -1 : 1));
  for (const { endpoint, reason } of ended) await context.onDeactivated(tx, endpoint, reason);
};
