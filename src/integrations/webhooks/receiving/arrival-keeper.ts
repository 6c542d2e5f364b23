import {
  createCommitGroups,
  createJournal,
  createKeeper,
  DatabaseUnavailable,
  type Journal,
  type Keeper,
  type StoreRows,
} from '../../../platform/index.ts';
import { createLineSeal } from '../../../vault/index.ts';
import { withdrawAccess } from '../../withdrawals/withdraw-access.ts';
import type { ArrivedMessage, Recorded } from './arrival.ts';
import { type RecordContext, recordArrivals } from './record-arrivals.ts';

const PURPOSE = 'webhook journal';
const MOST_AT_ONCE = 100;
/** How many bytes of payloads are recorded together. A larger one is recorded alone. */
const MOST_BYTES = 1024 * 1024;
/** How many items are recorded together. A message with more is recorded alone. */
const MOST_ITEMS = 1_000;

const weigh = ({ items }: ArrivedMessage): number => items.reduce((sum, { payload }) => sum + payload.length, 0);

const countTogether = (arrivals: readonly ArrivedMessage[]): number => {
  let [bytes, items] = [0, 0];
  const end = arrivals.findIndex((arrival, index) => {
    bytes += weigh(arrival);
    items += arrival.items.length;
    return index > 0 && (index >= MOST_AT_ONCE || bytes > MOST_BYTES || items > MOST_ITEMS);
  });
  return end === -1 ? arrivals.length : end;
};

/** Ends the connections whose access was withdrawn. A repeated message completes what was interrupted. */
export const endWithdrawn = async (
  context: RecordContext,
  { provider, teamId, items }: ArrivedMessage,
): Promise<void> => {
  if (teamId !== null) return;
  for (const { withdrawal } of items) if (withdrawal) await withdrawAccess(context, provider, withdrawal);
};

/** Records arrivals, many in one transaction. If a group is refused, each is recorded alone. */
const createRecord = (context: RecordContext) => {
  const { database } = context;
  const record = (group: readonly ArrivedMessage[]): Promise<Recorded[]> =>
    database.transaction((tx) => recordArrivals(context, tx, group));
  const recordAlone = async (arrival: ArrivedMessage): Promise<Recorded | Error> => {
    try {
      return (await record([arrival]))[0] ?? new Error('An arrival has no result.');
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      return error as Error;
    }
  };
  return createCommitGroups<ArrivedMessage, Recorded>({
    countTogether,
    async commit(group) {
      try {
        return await record(group);
      } catch (error) {
        if (error instanceof DatabaseUnavailable || group.length === 1) throw error;
        const results: (Recorded | Error)[] = [];
        for (const arrival of group) results.push(await recordAlone(arrival));
        return results;
      }
    },
  });
};

/** Creates the journal that keeps arrivals while the database is unavailable. */
export const createArrivalJournal = (
  { vault, log }: Pick<RecordContext, 'vault' | 'log'>,
  directory: string,
): Journal<ArrivedMessage> => {
  return createJournal<ArrivedMessage>(createLineSeal(vault, PURPOSE), log, directory);
};

/** Keeps arrivals: in the database, or in the journal while that is unavailable. */
export const createArrivalKeeper = (context: RecordContext, journal: Journal<ArrivedMessage>): ArrivalKeeper => {
  const { log } = context;
  const record = createRecord(context);
  const storeAll: StoreRows<ArrivedMessage> = async (arrivals) => {
    const results = await Promise.allSettled(
      arrivals.map(async (arrival) => {
        await record(arrival);
        await endWithdrawn(context, arrival);
      }),
    );
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    const away = errors.find((error) => error instanceof DatabaseUnavailable);
    if (away) throw away;
    if (errors.length === 0) return undefined;
    log.error({ err: errors[0], count: errors.length }, "the database refused providers' messages from the journal");
    return 'some_refused';
  };
  const describe = ({ provider }: ArrivedMessage) => ({ provider });
  return createKeeper({ log, store: record, storeAll, describe }, journal);
};

export type ArrivalKeeper = Keeper<ArrivedMessage, Recorded>;
