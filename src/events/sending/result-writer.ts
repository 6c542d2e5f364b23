import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { deleteRetriesOf } from '../attempts/retry-store.ts';
import type { EventsContext } from '../context.ts';
import type { RequestsContext } from './feed-requests.ts';
import { putResults, type ResultsContext, type SendResult } from './put-results.ts';

/** Results that arrive within this time are stored in one transaction. */
const GATHER_MS = 10;
const MOST_AT_ONCE = 500;
/** The most endpoints in one transaction. Each takes a few statements, and all stay locked until the last is stored. */
const MOST_ENDPOINTS = 50;
const AGAIN_MS = 1_000;

type WaitingResult = SendResult & { resolve(): void; reject(error: unknown): void };

type WriterContext = Pick<EventsContext, 'database' | 'log'> & Omit<ResultsContext, 'clearRetries'>;

/** How many results, from the first on, fit in one transaction. */
const countTogether = (results: readonly SendResult[]): number => {
  const endpoints = new Set<string>();
  const end = results.findIndex(({ endpoint }, index) => {
    endpoints.add(endpoint.id);
    return endpoints.size > MOST_ENDPOINTS || index >= MOST_AT_ONCE;
  });
  return end === -1 ? results.length : end;
};

const giveUp = (results: readonly WaitingResult[], err: unknown): void => {
  for (const { reject } of results) reject(err);
};

/** Stores results, many in one transaction. While the database is unavailable, results wait in memory. */
export const createResultWriter = (context: WriterContext) => {
  const { database, log } = context;
  const gathered: WaitingResult[] = [];
  let writing: Promise<void> | null = null;
  let clearing = Promise.resolve();
  let isStopping = false;

  /**
   * Deletes an endpoint's retries in the background. If the service stops meanwhile, the rest is deleted when the
   * endpoint is turned on again.
   */
  const clearRetries = (endpointId: string): void => {
    clearing = clearing
      .then(() => deleteRetriesOf(database, endpointId, () => isStopping))
      .catch((err) => log.warn({ err, endpoint: endpointId }, 'what waited for an endpoint could not be deleted'));
  };
  const results: ResultsContext = { ...context, clearRetries };

  const putAll = async (some: readonly WaitingResult[]): Promise<void> => {
    await database.transaction((tx) => putResults(results, tx, some));
    for (const { resolve } of some) resolve();
  };

  /** Stores results endpoint by endpoint, so that a failure for one doesn't block the others. */
  const putApart = async (some: readonly WaitingResult[]): Promise<void> => {
    for (const group of Map.groupBy(some, ({ endpoint }) => endpoint.id).values())
      await putAll(group).catch((err) => {
        if (isStopping) giveUp(group, err);
        else gathered.push(...group);
        log.warn({ err, endpoint: group[0]?.endpoint.id }, 'how events were received could not be stored yet');
      });
  };

  const writeSome = async (): Promise<void> => {
    const some = gathered.splice(0, countTogether(gathered));
    try {
      await putAll(some);
    } catch (err) {
      if (err instanceof DatabaseUnavailable) {
        if (isStopping) giveUp(some, err);
        else gathered.unshift(...some);
        log.warn({ err }, 'how events were received could not be stored yet');
      } else await putApart(some);
      if (!isStopping && gathered.length > 0) await sleep(AGAIN_MS, undefined, { ref: false });
    }
  };

  const write = async (): Promise<void> => {
    await sleep(GATHER_MS);
    while (gathered.length > 0) await writeSome();
    writing = null;
  };

  const store: RequestsContext['store'] = (feed, item, attempt) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    gathered.push({ ...feed, item, attempt, resolve, reject });
    writing ??= write();
    return promise;
  };

  return {
    /** Resolves when the result is stored. Rejects if the service stops before that. */
    store,
    /**
     * From now on, gives up on results that can't be stored at once. Their events are sent again after the next start.
     */
    stopTrying(): void {
      isStopping = true;
    },
    /** Resolves when nothing is being written anymore. */
    async close(): Promise<void> {
      isStopping = true;
      await writing;
      await clearing;
    },
  };
};
