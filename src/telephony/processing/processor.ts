import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryRow } from './delivery-store.ts';
import { type ProcessingContext, processBatch } from './process-batch.ts';
import { restAfterWork } from './rest-after-work.ts';
import { createWaitingByTeam } from './waiting-by-team.ts';
import { createWaitingReader, LEFT_AFTER_MS, newestPlace } from './waiting-deliveries.ts';

/** On SQLite, a batch blocks other writes for a few milliseconds. With PostgreSQL, most of the time is waiting. */
const BATCH = { sqlite: 32, postgresql: 64 } as const;
const AT_ONCE = { sqlite: 1, postgresql: 2 } as const;
/** How long to wait after the first delivery for others to share its transaction. */
const GATHER_MS = 20;
/** What is kept in memory is only a shortcut; the rest is found in the database. */
const MOST_WAITING = 20_000;
/** How long the newest go first under overload before older ones get a turn, too. */
const BACKLOG_PATIENCE_MS = 1_000;
/** What has waited longer is left to the next run. */
const WORK_OFF_MS = 45_000;

/** `rest`: how long callers come first, given how long the work took and how long the oldest has waited. */
type ProcessorOptions = { mostWaiting?: number; rest?: typeof restAfterWork };

/**
 * Assembles calls shortly after their deliveries were answered: teams in turn, and the newest of a team first, because
 * people look for the call that just came in. What it doesn't get to, `workOff` finds in the database, after everything new.
 */
export const createProcessor = (
  context: ProcessingContext,
  { mostWaiting = MOST_WAITING, rest = restAfterWork }: ProcessorOptions = {},
) => {
  const { engine } = context.database;
  const waiting = createWaitingByTeam();
  let working: Promise<void> | null = null;
  let workingOff: Promise<void> | null = null;
  /** Some of what was added is left to `workOff`. */
  let left = false;
  let hurry = false;

  /** Only what the database shows as waiting is left to it: after the clock was set back, that isn't all. */
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

  /** Processes everything waiting in the database, giving way to new deliveries and to callers. */
  const workOff = (): Promise<void> => {
    workingOff ??= workOffAll().finally(() => {
      workingOff = null;
    });
    return workingOff;
  };

  /** The job would get to it too, a few seconds later. A run in progress may already be past it. */
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
    // Nothing can be added between checking what waits and this: there is no turn in between.
    working = waiting.size > 0 ? workUntilDone() : null;
    if (!working && left && !hurry) void workOffWhatWasLeft();
  };

  /** Resolves once everything added is done, or left to `workOff`. */
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
    /** Resolves once everything added is done. */
    async settle(): Promise<void> {
      await drain();
      await (left ? workOffWhatWasLeft() : workingOff);
    },
    workOff,
  };
};
