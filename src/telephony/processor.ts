import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessDependencies, processBatch, type Unread } from './process-batch.ts';
import { restAfterWork } from './rest-after-work.ts';

/** On SQLite nothing else is written while a batch is: a few milliseconds. PostgreSQL is waited for most of the time. */
const BATCH = { sqlite: 32, postgresql: 64 } as const;
const AT_ONCE = { sqlite: 1, postgresql: 2 } as const;
/** After the first delivery others are waited for, to share its transaction. */
const GATHER_MS = 20;
/** What is kept in mind is only a shortcut: beyond this, or after this long, it is found in the database. */
const MOST_WAITING = 20_000;
export const LEFT_AFTER_MS = 5_000;
/** So long the newest go first where there is more of them than can be done; then what is older has a turn, too. */
const BACKLOG_PATIENCE_MS = 1_000;

type Waiting = { unread: Unread; since: number };

/**
 * Puts calls together a little after their deliveries were answered, newest first: what somebody looks for is the call
 * that just came in. What it does not get to, `workOff` finds in the database, behind everything that is new.
 */
export const createProcessor = (dependencies: ProcessDependencies, mostWaiting = MOST_WAITING) => {
  const { engine } = dependencies.database;
  let waiting: Waiting[] = [];
  let working: Promise<void> | null = null;
  let hurry = false;

  const takeNewest = (): Unread[] => {
    const isLeft = ({ since }: Waiting): boolean => performance.now() - since > LEFT_AFTER_MS;
    if (!hurry && waiting[0] && isLeft(waiting[0])) waiting = waiting.filter((one) => !isLeft(one));
    return waiting.splice(-BATCH[engine]).map(({ unread }) => unread);
  };

  const processInTurn = async (batch: readonly Unread[]): Promise<void> => {
    const begun = performance.now();
    await processBatch(dependencies, batch);
    const waitedMs = performance.now() - (waiting[0]?.since ?? begun);
    if (!hurry) await restAfterWork(performance.now() - begun, waitedMs);
  };

  const work = async (): Promise<void> => {
    if (!hurry) await sleep(GATHER_MS);
    for (let batch = takeNewest(); batch.length > 0; batch = takeNewest()) await processInTurn(batch);
  };

  const workUntilDone = async (): Promise<void> => {
    try {
      await Promise.all(Array.from({ length: AT_ONCE[engine] }, work));
    } catch (err) {
      waiting = [];
      dependencies.log.warn({ err }, 'deliveries wait to be processed, because the database is away');
    }
    // Nothing can be added between the look at what waits and this: there is no turn in between.
    working = waiting.length > 0 ? workUntilDone() : null;
  };

  return {
    add(unread: Unread): void {
      if (waiting.length >= mostWaiting) waiting.splice(0, Math.ceil(mostWaiting / 10));
      waiting.push({ unread, since: performance.now() });
      working ??= workUntilDone();
    },
    /** Until everything that was added is done. */
    async drain(): Promise<void> {
      hurry = true;
      while (working) await working;
      hurry = false;
    },
    /** Works off what `takeBatch` finds until there is no more of it, giving way to what is new and to whoever calls. */
    async workOff(takeBatch: (size: number) => Promise<readonly Unread[]>): Promise<void> {
      const workOffInTurn = async (): Promise<void> => {
        for (let batch = await takeBatch(BATCH[engine]); batch.length > 0; batch = await takeBatch(BATCH[engine])) {
          if (working) await Promise.race([working, sleep(BACKLOG_PATIENCE_MS)]);
          await processInTurn(batch);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE[engine] }, workOffInTurn));
    },
  };
};

export type Processor = ReturnType<typeof createProcessor>;
