import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, type Transaction } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type Attempt, FAILING_MS, isAccepted, isGone, LEAST_DAYS_TRIED, nextWaitMs } from './attempt.ts';
import { countDaysTried, deactivateEndpoint, insertAttempts, putOutcome, trimAttempts } from './attempt-store.ts';
import type { FeedTracks, Item } from './feed.ts';
import { deleteRetries, deleteRetriesOf, putRetries, type RetryRow } from './retry-store.ts';

/** Results of this long share a transaction. */
const GATHER_MS = 10;
const MOST_AT_ONCE = 500;
/** Each takes a few statements, and keeps its row locked until all have been stored. */
const MOST_ENDPOINTS = 50;
const AGAIN_MS = 1_000;

type Result = {
  endpoint: Endpoint;
  tracks: FeedTracks;
  item: Item;
  attempt: Attempt;
  resolve(): void;
  reject(error: unknown): void;
};

type Ended = { endpoint: Endpoint; reason: 'gone' | 'failing' };

type WriterContext = Pick<EventsContext, 'database' | 'newId' | 'clock' | 'log'> & {
  /** In the transaction that turns an endpoint off by itself, by team, as whoever locks the alerts of several does. */
  onDeactivated(tx: Transaction, endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void>;
};

/** When the last one succeeded, or failed. */
const lastOf = (results: readonly Result[], accepted: boolean): number | null => {
  const times = results.filter(({ attempt }) => isAccepted(attempt) === accepted).map(({ attempt }) => attempt.at);
  return times.length > 0 ? Math.max(...times) : null;
};

const keyOf = ({ endpointId, eventId }: Pick<RetryRow, 'endpointId' | 'eventId'>): string => `${endpointId} ${eventId}`;

const endedOn = (results: readonly Result[], track: FeedTracks['replay']): Set<number> =>
  new Set(results.filter(({ item }) => item.track === track).map(({ item }) => item.event.position));

/** How many of the first results are about a few endpoints. */
const countTogether = (results: readonly Result[]): number => {
  const endpoints = new Set<string>();
  const end = results.findIndex(({ endpoint }, index) => {
    endpoints.add(endpoint.id);
    return endpoints.size > MOST_ENDPOINTS || index >= MOST_AT_ONCE;
  });
  return end === -1 ? results.length : end;
};

/** Stores how attempts ended, many in one transaction. If the database is unavailable, they wait for it. */
export const createResultWriter = (context: WriterContext) => {
  const { database, newId, clock, log } = context;
  const gathered: Result[] = [];
  let writing: Promise<void> | null = null;
  let clearing = Promise.resolve();
  let isStopping = false;

  const retryOf = ({ endpoint, item, attempt }: Result): RetryRow | null => {
    if (isAccepted(attempt)) return null;
    const attempts = item.attempts + 1;
    const waitMs = nextWaitMs(attempts, attempt.retryAfterMs, Math.random());
    const nextAt = clock.now() + (waitMs ?? 0);
    return waitMs === null ? null : { endpointId: endpoint.id, eventId: item.event.id, attempts, nextAt };
  };

  const reasonToEnd = async (
    tx: Transaction,
    endpointId: string,
    results: readonly Result[],
    failingSince: number | null,
  ): Promise<'gone' | 'failing' | null> => {
    if (results.some(({ attempt }) => isGone(attempt))) return 'gone';
    if (failingSince === null || clock.now() - failingSince < FAILING_MS) return null;
    // It may only seem so long because the clock has jumped ahead.
    return (await countDaysTried(tx, endpointId, failingSince)) >= LEAST_DAYS_TRIED ? 'failing' : null;
  };

  /** Nothing waits for it anymore. What is left is deleted before it's turned on again. */
  const clearRetries = (endpointId: string): void => {
    clearing = clearing
      .then(() => deleteRetriesOf(database, endpointId, () => isStopping))
      .catch((err) => log.warn({ err, endpoint: endpointId }, 'what waited for an endpoint could not be deleted'));
  };

  /** Returns the endpoint if that turned it off. */
  const putEndpoint = async (tx: Transaction, results: readonly Result[]): Promise<Ended | null> => {
    const [first] = results;
    if (!first) return null;
    const { endpoint, tracks } = first;
    const { replay } = tracks;
    const stored = await putOutcome(tx, {
      id: endpoint.id,
      position: tracks.main.toldIf(endedOn(results, tracks.main)),
      replayUntil: replay ? endpoint.replayUntil : null,
      replayPosition: replay?.toldIf(endedOn(results, replay)) ?? null,
      lastSuccessAt: lastOf(results, true),
      lastFailureAt: lastOf(results, false),
    });
    // The next replay may begin before the endpoint is read again. It has a track of its own.
    if (replay && stored?.replayUntil === null)
      tx.afterCommit(() => {
        if (tracks.replay === replay) tracks.replay = null;
      });
    const reason = stored && (await reasonToEnd(tx, endpoint.id, results, stored.failingSince));
    if (!reason || (await deactivateEndpoint(tx, endpoint.id, reason, clock.now())) === 0) return null;
    tx.afterCommit(() => clearRetries(endpoint.id));
    return { endpoint, reason };
  };

  const put = async (tx: Transaction, results: readonly Result[]): Promise<void> => {
    await insertAttempts(
      tx,
      results.map(({ endpoint, item: { event }, attempt: { retryAfterMs: _, ...attempt } }) => ({
        ...{ ...attempt, id: newId(), teamId: endpoint.teamId, eventId: event.id, endpointId: endpoint.id },
      })),
    );
    const again = results.filter(({ item, tracks }) => item.track !== tracks.main).map(({ item }) => item.event.id);
    if (again.length > 0) await trimAttempts(tx, [...new Set(again)]);
    // What is new and replayed at the same time can fail twice in one moment.
    const retries = new Map(
      results
        .map(retryOf)
        .filter((retry) => retry !== null)
        .map((retry) => [keyOf(retry), retry]),
    );
    const over = results
      .filter(({ item }) => item.track === null)
      .map(({ endpoint, item }) => ({ endpointId: endpoint.id, eventId: item.event.id }))
      .filter((retry) => !retries.has(keyOf(retry)));
    if (retries.size > 0) await putRetries(tx, [...retries.values()]);
    if (over.length > 0) await deleteRetries(tx, over);
    // In one order, so that two processes never wait for each other.
    const byEndpoint = Map.groupBy(results, ({ endpoint }) => endpoint.id);
    const ended: Ended[] = [];
    for (const id of [...byEndpoint.keys()].sort()) {
      const one = await putEndpoint(tx, byEndpoint.get(id) ?? []);
      if (one) ended.push(one);
    }
    const inOrder = ended.sort((a, b) => (a.endpoint.teamId < b.endpoint.teamId ? -1 : 1));
    for (const { endpoint, reason } of inOrder) await context.onDeactivated(tx, endpoint, reason);
  };

  const putAll = async (results: readonly Result[]): Promise<void> => {
    await database.transaction((tx) => put(tx, results));
    for (const { resolve } of results) resolve();
  };

  const giveUp = (results: readonly Result[], err: unknown): void => {
    for (const { reject } of results) reject(err);
  };

  /** What can't be stored for one endpoint must not keep the results of others from being stored. */
  const putApart = async (results: readonly Result[]): Promise<void> => {
    for (const group of Map.groupBy(results, ({ endpoint }) => endpoint.id).values())
      await putAll(group).catch((err) => {
        if (isStopping) giveUp(group, err);
        else gathered.push(...group);
        log.warn({ err, endpoint: group[0]?.endpoint.id }, 'how events were received could not be stored yet');
      });
  };

  const writeSome = async (): Promise<void> => {
    const results = gathered.splice(0, countTogether(gathered));
    try {
      await putAll(results);
    } catch (err) {
      if (err instanceof DatabaseUnavailable) {
        if (isStopping) giveUp(results, err);
        else gathered.unshift(...results);
        log.warn({ err }, 'how events were received could not be stored yet');
      } else await putApart(results);
      if (!isStopping && gathered.length > 0) await sleep(AGAIN_MS, undefined, { ref: false });
    }
  };

  const write = async (): Promise<void> => {
    await sleep(GATHER_MS);
    while (gathered.length > 0) await writeSome();
    writing = null;
  };

  return {
    /** Resolves once it's stored. Rejects if the service stops before that. */
    store(feed: { endpoint: Endpoint; tracks: FeedTracks }, item: Item, attempt: Attempt): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      gathered.push({ ...feed, item, attempt, resolve, reject });
      writing ??= write();
      return promise;
    },
    /** From now on, what can't be stored at once is sent again after the next start. */
    stopTrying(): void {
      isStopping = true;
    },
    /** Resolves once nothing is being written anymore. */
    async close(): Promise<void> {
      isStopping = true;
      await writing;
      await clearing;
    },
  };
};
