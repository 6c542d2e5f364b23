import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryRow } from './delivery-store.ts';
import { type ProcessingContext, processBatch } from './process-batch.ts';
import { restAfterWork } from './rest-after-work.ts';
import { createWaitingByTeam } from './waiting-by-team.ts';
import { createWaitingReader, LEFT_AFTER_MS, newestPlace } from './waiting-deliveries.ts';

/**
 * Deliveries per transaction. On SQLite, a batch blocks other writes for a few milliseconds. On PostgreSQL, a batch
 * mostly waits for the database.
 */
const BATCH = { sqlite: 32, postgresql: 64 } as const;
const AT_ONCE = { sqlite: 1, postgresql: 2 } as const;
/** How long to wait after the first delivery for others to share its transaction. */
const GATHER_MS = 20;
/** How many deliveries wait in memory at most. Others are dropped from memory, and found later in the database. */
const MOST_WAITING = 20_000;
/** How long a batch from the database lets new deliveries go first before it is processed anyway. */
const BACKLOG_PATIENCE_MS = 1_000;
/** How long one run of `workOff` keeps reading. The next run does what is left. */
const WORK_OFF_MS = 45_000;

/**
 * `rest` waits after a batch, so that callers come first. It is given how long the batch took and how long the oldest
 * delivery has waited.
 */
type ProcessorOptions = { mostWaiting?: number; rest?: typeof restAfterWork };

/**
 * Assembles calls shortly after their deliveries were answered. Teams take turns, and a team's newest delivery goes
 * first, because people look for the call that just came in. Deliveries that are dropped from memory are found in the
 * database by `workOff`, which lets new ones go first.
 */
export const createProcessor = (
  context: ProcessingContext,
  { mostWaiting = MOST_WAITING, rest = restAfterWork }: ProcessorOptions = {},
) => {
  const { engine } = context.database;
  const waiting = createWaitingByTeam();
  let working: Promise<void> | null = null;
  let workingOff: Promise<void> | null = null;
  /** Whether some of the added deliveries are left to `workOff`. */
  let left = false;
  let hurry = false;

  /**
   * Drops deliveries that waited too long and leaves them to `workOff`. A delivery that `workOff` wouldn't find yet
   * stays: if the clock was set back, it may seem to have been received only just now.
   */
  const leaveOldest = (): void => {
    if (waiting.dropBefore(performance.now() - LEFT_AFTER_MS, newestPlace(context).receivedAt)) left = true;
  };

  const takeNewest = (): DeliveryRow[] => {
    if (!hurry) leaveOldest();
    return waiting.take(BATCH[engine]);
  };

  const processInTurn = async (batch: readonly DeliveryRow[]): Promise<void> => {
    const begun = performance.now();
    await processBatch(context, batch);
    const waitedMs = performance.now() - (waiting.oldestSince() ?? begun);
    if (!hurry) await rest(performance.now() - begun, waitedMs);
  };

  const work = async (): Promise<void> => {
    const takeBatch = async (): Promise<DeliveryRow[]> => {
      if (!hurry && waiting.size < BATCH[engine]) await sleep(GATHER_MS);
      return takeNewest();
    };
    for (let batch = await takeBatch(); batch.length > 0; batch = await takeBatch()) await processInTurn(batch);
  };

  const workOffAll = async (): Promise<void> => {
    const reader = createWaitingReader(context, WORK_OFF_MS);
    const takeBatch = () => reader.next(BATCH[engine]);
    const workOffInTurn = async (): Promise<void> => {
      for (let batch = await takeBatch(); batch.length > 0; batch = await takeBatch()) {
        if (working) await Promise.race([working, sleep(BACKLOG_PATIENCE_MS)]);
        await processInTurn(batch);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE[engine] }, workOffInTurn));
  };

  /** Processes deliveries that wait in the database. New deliveries and callers go first. */
  const workOff = (): Promise<void> => {
    workingOff ??= workOffAll().finally(() => {
      workingOff = null;
    });
    return workingOff;
  };

  /**
   * Runs `workOff` for dropped deliveries now, instead of a few seconds later by the job. A run in progress may already
   * have read past them, so this waits for it and starts another.
   */
  const workOffWhatWasLeft = async (): Promise<void> => {
    left = false;
    try {
      await workingOff;
      await workOff();
    } catch (err) {
      context.log.warn({ err }, 'leftover deliveries could not be processed yet');
    }
  };

  const workUntilDone = async (): Promise<void> => {
    try {
      await Promise.all(Array.from({ length: AT_ONCE[engine] }, work));
    } catch (err) {
      waiting.clear();
      context.log.warn({ err }, 'deliveries are waiting: the database is unavailable, or a team key cannot be opened');
    }
    // There is no `await` between checking and assigning, so no delivery can be added in between.
    working = waiting.size > 0 ? workUntilDone() : null;
    if (!working && left && !hurry) void workOffWhatWasLeft();
  };

  /** Resolves once every added delivery is processed, or left to `workOff`. */
  const drain = async (): Promise<void> => {
    hurry = true;
    while (working) await working;
    hurry = false;
  };

  return {
    countWaiting: (): number => waiting.size,
    add(row: DeliveryRow): void {
      if (waiting.size >= mostWaiting) {
        waiting.dropOfLargest(Math.ceil(mostWaiting / 10));
        left = true;
      }
      waiting.push(row);
      working ??= workUntilDone();
    },
    drain,
    /** Resolves once every added delivery is processed. */
    async settle(): Promise<void> {
      await drain();
      await (left ? workOffWhatWasLeft() : workingOff);
    },
    workOff,
  };
};
