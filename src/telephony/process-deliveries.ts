import { setTimeout as sleep } from 'node:timers/promises';
import type { Jobs } from '../jobs/index.ts';
import {
  type Clock,
  type Database,
  DatabaseUnavailable,
  type Log,
  type NewId,
  type Transaction,
} from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import { recordSecretUse } from './account-store.ts';
import type { Report } from './call-event.ts';
import type { Delivery } from './delivery.ts';
import { type DeliveryRow, markDeliveryFailed, markDeliveryProcessed } from './delivery-store.ts';
import type { TelephonyProvider } from './provider.ts';
import { putCall, type SealedFacts, sealFacts } from './put-call.ts';
import { putRecording, type SealedRecording, sealRecording } from './put-recording.ts';
import { readReport } from './read-report.ts';

export type ProcessDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  log: Log;
  jobs: Pick<Jobs, 'enqueue'>;
  /** Told of every value of a provider that nobody here knows. */
  onUnknown(provider: string): void;
};

/** A delivery that is kept and not yet read. */
export type Unread = { row: Omit<DeliveryRow, 'payload'>; provider: TelephonyProvider; delivery: Delivery };

type Prepared = Pick<Unread, 'row'> & {
  report: Report;
  facts: SealedFacts | null;
  recordings: readonly SealedRecording[];
};

/** On SQLite nothing else happens in this process while a batch is written: few milliseconds, not many. */
const BATCH = 20;
/** What waits here is only a shortcut: beyond this it is found in the database. */
const MOST_WAITING = 5_000;
/** SQLite does one thing at a time; PostgreSQL is waited for most of the time. */
const AT_ONCE = { sqlite: 1, postgresql: 4 } as const;
const GATHER_MS = 5;
/** Calls that ring come first: for every part of work there are three for whoever is calling, and more while it is busy. */
const REST = { usual: 3, busy: 15 };
const BUSY_FROM = 0.9;
const LONGEST_REST_MS = 2_000;

const prepare = async (dependencies: ProcessDependencies, { row, provider, delivery }: Unread): Promise<Prepared> => {
  const report = readReport(provider, delivery, row.receivedAt);
  return {
    row,
    report,
    facts: report.call && (await sealFacts(dependencies, row, report.call)),
    recordings: await Promise.all(report.recordings.map((event) => sealRecording(dependencies, row, event))),
  };
};

/** What is left of a delivery's own story when its payload is erased. */
const describe = ({ events, recordings }: Report): string =>
  JSON.stringify({ events: events.map(({ kind }) => kind), recordings: recordings.map(({ status }) => status) });

const groupByCall = (batch: readonly Prepared[]): Map<string, Prepared[]> => {
  const groups = new Map<string, Prepared[]>();
  for (const prepared of batch) {
    const key = prepared.report.call ? `${prepared.row.accountId} ${prepared.report.call.callKey}` : '';
    groups.set(key, [...(groups.get(key) ?? []), prepared]);
  }
  return groups;
};

const lastUses = (batch: readonly Prepared[]): Map<string, Prepared['row']> =>
  new Map(
    [...batch]
      .sort((left, right) => left.row.receivedAt - right.row.receivedAt)
      .map(({ row }) => [`${row.accountId} ${row.secretId}`, row]),
  );

const inKeyOrder = <Value>(entries: Map<string, Value>): [string, Value][] =>
  [...entries].sort(([left], [right]) => (left < right ? -1 : 1));

/** Rows are always locked in the same order, so that two who work at once wait for each other and not for ever. */
const putBatch = async (
  dependencies: ProcessDependencies,
  tx: Transaction,
  batch: readonly Prepared[],
): Promise<void> => {
  const now = dependencies.clock.now();
  for (const [key, group] of inKeyOrder(groupByCall(batch))) if (key !== '') await putCall(dependencies, tx, group);
  const recordings = new Map(
    batch.flatMap((prepared) =>
      prepared.recordings.map((recording, index) => [
        `${prepared.row.accountId} ${recording.event.recordingId} ${prepared.row.id} ${index}`,
        { ...prepared, recording },
      ]),
    ),
  );
  for (const [, { row, recording }] of inKeyOrder(recordings)) await putRecording(dependencies, tx, row, recording);
  for (const { row, report } of batch)
    await markDeliveryProcessed(tx, row.teamId, row.id, {
      callKey: report.call?.callKey ?? report.recordings[0]?.callKey ?? null,
      told: describe(report),
      now,
    });
  for (const [, row] of inKeyOrder(lastUses(batch)))
    await recordSecretUse(tx, row.accountId, row.secretId, row.receivedAt);
};

/**
 * Puts calls and recordings together from what deliveries say. It may be done twice with the same delivery, by two
 * processes at once: facts are added under a lock on the call's row, and each only once.
 */
export const processBatch = async (dependencies: ProcessDependencies, batch: readonly Unread[]): Promise<void> => {
  const { database, clock, log } = dependencies;
  try {
    const prepared = await Promise.all(batch.map((unread) => prepare(dependencies, unread)));
    await database.transaction((tx) => putBatch(dependencies, tx, prepared));
    for (const { row, report } of prepared)
      for (const { kind } of report.events) if (kind === 'other') dependencies.onUnknown(row.provider);
  } catch (err) {
    if (err instanceof DatabaseUnavailable) throw err;
    const [unread, ...others] = batch;
    if (unread && others.length > 0) {
      // One of them is bad: it must not hold up the others.
      for (const one of batch) await processBatch(dependencies, [one]);
      return;
    }
    if (!unread) return;
    log.error({ err, delivery: unread.row.id }, 'a delivery could not be processed');
    const problem = err instanceof Error ? err.name : 'unknown';
    await markDeliveryFailed(database, unread.row.teamId, unread.row.id, { problem, now: clock.now() });
  }
};

/** Works off what this process has received, a little after it was answered. What it does not get to, the job finds. */
export const createProcessor = (dependencies: ProcessDependencies) => {
  let waiting: Unread[] = [];
  let working: Promise<void> | null = null;
  let hurry = false;
  let before = performance.eventLoopUtilization();

  /** How long the others come first, after so much work. */
  const restAfter = (workedMs: number): number => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const times = utilization > BUSY_FROM ? REST.busy : REST.usual;
    return Math.min(LONGEST_REST_MS, Math.max(GATHER_MS, workedMs * times));
  };

  const work = async (): Promise<void> => {
    if (!hurry) await sleep(GATHER_MS);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      const begun = performance.now();
      await processBatch(dependencies, batch);
      if (!hurry) await sleep(restAfter(performance.now() - begun));
    }
  };

  const workUntilDone = async (): Promise<void> => {
    try {
      await Promise.all(Array.from({ length: AT_ONCE[dependencies.database.engine] }, work));
    } catch (err) {
      waiting = [];
      dependencies.log.warn({ err }, 'deliveries wait to be processed, because the database is away');
    }
    // Nothing can be added between the look at what waits and this: there is no turn in between.
    working = waiting.length > 0 ? workUntilDone() : null;
  };

  return {
    add(unread: Unread): void {
      if (waiting.length >= MOST_WAITING) return;
      waiting.push(unread);
      working ??= workUntilDone();
    },
    /** Until everything that was added is done. */
    async drain(): Promise<void> {
      hurry = true;
      while (working) await working;
      hurry = false;
    },
  };
};

export type Processor = ReturnType<typeof createProcessor>;
