import { setTimeout as sleep } from 'node:timers/promises';
import { defineJob } from '../../src/jobs/index.ts';
import { migrateDatabase, Secret, systemClock, Type } from '../../src/platform/index.ts';
import { openTestJobs, type TestJobs } from '../../test/harness/jobs.ts';
import type { Reading, Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { pickSize } from '../pick-size.ts';
import { makeDirectory } from '../temporary-directory.ts';

const RUNS = pickSize({ full: 3_000, small: 300 });
const STARTS = pickSize({ full: 400, small: 50 });
const WAITING = pickSize({ full: 300_000, small: 3_000 });
const ROUNDS = 3;
/** The same interval as in the service. */
const POLL_MS = 500;

const nothing = defineJob({ name: 'do-nothing', payload: Type.Object({}) });

const at = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? Number.NaN;

type Open = () => TestJobs;

/** How many empty jobs run in a second, five at a time. */
const measureRate = async (open: Open): Promise<number> => {
  const jobs = open();
  const all = Promise.withResolvers<void>();
  let done = 0;
  jobs.handle(nothing, async () => void (++done === RUNS && all.resolve()));
  await jobs.database.transaction(async (tx) => {
    for (let job = 0; job < RUNS; job++) await jobs.enqueue(tx, nothing, {});
  });
  const begun = performance.now();
  jobs.start();
  await all.promise;
  const ms = performance.now() - begun;
  await jobs.close();
  return (RUNS * 1_000) / ms;
};

/** How long it takes from the beginning of a transaction that enqueues a job until the job runs. */
const measureStarts = async (open: Open): Promise<number[]> => {
  const jobs = open();
  let begin = (): void => undefined;
  jobs.handle(nothing, async () => begin());
  jobs.start();
  const taken: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const asked = performance.now();
    await jobs.database.transaction((tx) => jobs.enqueue(tx, nothing, {}));
    await begun;
    taken.push(performance.now() - asked);
    await sleep(5);
  }
  await jobs.close();
  return taken;
};

/** Adds jobs that aren't due for many years. */
const addWaiting = async (open: Open): Promise<void> => {
  const jobs = open();
  await jobs.database.run(
    `insert into jobs (id, name, payload, state, attempts, attempts_allowed, created_at, run_at, behind)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < $1)
     select 'waiting-' || n, $2, '{}', 'queued', 0, 8, 0, 4000000000000 + n, n % 1000 from numbers`,
    [WAITING, nothing.name],
  );
  await jobs.close();
};

const measure = async ({ cleanUp }: Tools, { title, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const url = databaseUrl === null ? null : new Secret(databaseUrl);
  const settings = { url, dataDirectory: makeDirectory(cleanUp), poolSize: 10, statementTimeoutMs: 10_000 };
  const open: Open = () => openTestJobs({ settings }, { pollMs: POLL_MS });
  const first = open();
  await migrateDatabase(first.database, systemClock);
  await first.close();

  const measureAll = async (where: string): Promise<Reading[]> => {
    const rates: number[] = [];
    const starts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rates.push(await measureRate(open));
      starts.push(...(await measureStarts(open)));
    }
    return [
      { kind: 'reading', title: `empty jobs, ${where}`, unit: 'a second', values: rates },
      { kind: 'reading', title: `enqueue to start, ${where}`, unit: 'ms', values: [at(starts, 0.5)] },
      { kind: 'reading', title: `enqueue to start, ${where}, 99 %`, unit: 'ms', values: [at(starts, 0.99)] },
    ];
  };

  const alone = await measureAll(`on ${title}`);
  await addWaiting(open);
  return [...alone, ...(await measureAll(`on ${title}, while ${WAITING.toLocaleString('en')} wait`))];
};

export const [jobsSqlite, jobsPostgresql] = onBothEngines({
  name: 'jobs',
  about: 'the queue: empty jobs a second, and how soon a job starts, also while very many wait',
  run: measure,
});
