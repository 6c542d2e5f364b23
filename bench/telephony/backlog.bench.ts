import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Result, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { startBystanders } from '../bystanders/bystanders.ts';
import { pickSize } from '../pick-size.ts';
import { count, makeSettings, openBeside } from '../service/place.ts';
import { setUpLine } from '../service/set-up-line.ts';
import { startService } from '../service/start-service.ts';
import { countUnprocessed, storeUnprocessed } from './unprocessed-deliveries.ts';

const DELIVERIES = pickSize({ full: 200_000, small: 5_000 });
const GOALS = { SQLite: 3_000, PostgreSQL: 2_000 } as const;
const START_MS = 2_000;
const LOOK_EVERY_MS = 100;
/** After this long, the rate is known, no matter how many deliveries are left. */
const ENOUGH_MS = 300_000;

/** Waits for all deliveries, up to `ENOUGH_MS`. Returns how many are left, and how long it took, including startup. */
const waitUntilProcessed = async (app: App, signal: AbortSignal): Promise<{ left: number; ms: number }> => {
  const begun = performance.now();
  for (;;) {
    const left = await countUnprocessed(app);
    const ms = performance.now() - begun;
    if (left === 0 || ms > ENOUGH_MS) return { left, ms };
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
};

const measure = async ({ cleanUp, signal, note }: Tools, { title, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const settings = await makeSettings(databaseUrl, cleanUp);
  const before = await startService(settings, cleanUp);
  const line = await setUpLine(before);
  await before.kill();
  const app = openBeside(settings, cleanUp);
  const begun = performance.now();
  await storeUnprocessed(app, line, DELIVERIES);
  const stored = DELIVERIES.toLocaleString('en');
  note(
    `${stored} deliveries of one to three for each call, stored in ${Math.round((performance.now() - begun) / 1_000)} s`,
  );

  const plan = { url: before.url, line: null, callsPerSecond: 0, directory: settings.PATCHBAY_DATA };
  const bystanders = await startBystanders(plan, cleanUp);
  await bystanders.begin();
  const starting = startService(settings, cleanUp);
  const [{ startMs }, { left, ms }] = await Promise.all([starting, waitUntilProcessed(app, signal)]);
  const waits = await bystanders.take();
  const failed = await count(app, `deliveries where state = 'failed'`);
  if (failed > 0) throw new Error(`${failed} deliveries could not be processed.`);
  if (left > 0)
    note(`${left.toLocaleString('en')} were left after ${Math.round(ms / 1_000)} s: the rate is that of the others`);
  return [
    {
      kind: 'reading',
      title: `${stored} unprocessed deliveries after a start, nobody calling, on ${title}`,
      unit: 'deliveries a second',
      values: [((DELIVERIES - left) * 1_000) / ms],
      goal: { atLeast: GOALS[title] },
    },
    {
      kind: 'reading',
      title: 'from the start to the first 200 of /healthz, with all of them waiting',
      unit: 'ms',
      values: [startMs],
      goal: { atMost: START_MS },
    },
    { kind: 'reading', title: '/healthz meanwhile, 99.9 %', unit: 'ms', values: [waits.healthP999] },
    { kind: 'reading', title: '/healthz meanwhile, the longest', unit: 'ms', values: [waits.healthMax] },
    { kind: 'reading', title: 'a 4 kB write with fsync meanwhile, the longest', unit: 'ms', values: [waits.syncMax] },
  ];
};

export const [backlogSqlite, backlogPostgresql] = onBothEngines({
  name: 'backlog',
  about: 'unprocessed deliveries that a start finds, worked off',
  longestMs: 900_000,
  run: measure,
});
