import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { createDeliveryJournal } from '../../src/telephony/deliveries/delivery-keeper.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import type { Result, Table, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { sealDeliveries } from '../telephony/unprocessed-deliveries.ts';
import {
  checkpoint,
  deleteTeam,
  eraseNumber,
  pruneTelephony,
  refreshConnections,
  reportOfLargeTeam,
  reportsOfAllTeams,
  rotateKeys,
  verifyReport,
} from './changing-tasks.ts';
import { type LargeService, makeLargeService } from './make-large-service.ts';
import { COLUMNS, fillUpBacklog, measureTask, StandsStill, type Task } from './measure-task.ts';
import { readingTasks } from './reading-tasks.ts';
import { CALLS_PER_SECOND, SIZE } from './size.ts';
import { openStage, waitUntil } from './stage.ts';

/** Does nothing for a while, to measure what the service does by itself. */
const letTimePass = (name: string): Task => ({
  name,
  run: (_stage, signal) => sleep(SIZE.leastMs, undefined, { signal }),
});

const journalOf = (data: string): string => join(data, 'journal');

const readJournalBack: Task = {
  name: `reading back a journal of ${SIZE.journaled.toLocaleString('en')} deliveries`,
  withoutBacklog: true,
  fromStart: true,
  run: ({ settings }, signal) =>
    waitUntil(async () => readdirSync(journalOf(settings.PATCHBAY_DATA)).length === 0, signal),
};

/** Writes a journal like that of a service that was killed while its database was unavailable. */
const writeJournal = async (app: App, { settings, line }: LargeService): Promise<void> => {
  const journal = createDeliveryJournal(app, journalOf(settings.PATCHBAY_DATA));
  for await (const rows of sealDeliveries(app, line, SIZE.journaled)) await Promise.all(rows.map(journal.append));
  await journal.close();
};

/** Some tasks for which a service is started once. It's killed after the last of them. */
type Act = { prepare?: (app: App) => Promise<void>; tasks: readonly Task[] };

const WHILE_IT_RUNS: Act = {
  tasks: [
    { ...letTimePass('nothing but calls'), withoutBacklog: true },
    letTimePass('unprocessed deliveries'),
    ...readingTasks,
    checkpoint,
    refreshConnections,
    pruneTelephony,
    eraseNumber,
    deleteTeam,
  ],
};

/** Tasks after a restart: first with unprocessed deliveries, then with a journal, too. */
const listRestarts = (large: LargeService): Act[] => {
  const fillUp = (app: App) => fillUpBacklog({ app, line: large.line });
  const rightAfter = letTimePass('unprocessed deliveries, right after a start');
  return [
    { prepare: fillUp, tasks: [{ ...rightAfter, withoutBacklog: true, fromStart: true }] },
    {
      async prepare(app) {
        await fillUp(app);
        await writeJournal(app, large);
      },
      tasks: [readJournalBack, rotateKeys, reportOfLargeTeam, verifyReport, reportsOfAllTeams],
    },
  ];
};

/**
 * Runs the tasks until the service stalls. The last row then has infinite values. Waits for the end of startup first,
 * unless the first task measures it.
 */
const perform = async (large: LargeService, { prepare, tasks }: Act, tools: Tools): Promise<Table['rows']> => {
  await using cleanUp = new AsyncDisposableStack();
  const stage = await openStage(large, cleanUp, prepare);
  if (!tasks[0]?.fromStart) await sleep(SIZE.leastMs, undefined, { signal: tools.signal });
  const rows = [];
  for (const task of tasks) {
    try {
      rows.push(await measureTask(stage, task, tools));
    } catch (error) {
      if (!(error instanceof StandsStill)) throw error;
      tools.note(`${task.name}: ${error.message}; it was killed and started again`);
      return [...rows, { name: task.name, values: COLUMNS.map(() => Number.POSITIVE_INFINITY) }];
    }
  }
  return rows;
};

/** Runs all tasks. If the service stalls, starts it again for the remaining ones. */
const performAll = async (large: LargeService, act: Act, tools: Tools): Promise<Table['rows']> => {
  const rows: Table['rows'][number][] = [];
  while (rows.length < act.tasks.length)
    rows.push(...(await perform(large, { ...act, tasks: act.tasks.slice(rows.length) }, tools)));
  return rows;
};

const measure = async (tools: Tools, { title, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const first = await makeLargeService(tools, databaseUrl);
  // Add a new key for the restarts, so that the task `rotateKeys` has something to do.
  const keys = extendKeyRing(first.settings.PATCHBAY_KEYS);
  const later = { ...first, settings: { ...first.settings, PATCHBAY_KEYS: keys } };
  const rows = [...(await performAll(first, WHILE_IT_RUNS, tools))];
  for (const act of listRestarts(later)) rows.push(...(await performAll(later, act, tools)));
  return [
    {
      kind: 'table',
      title: `what others wait for on ${title}, in ms: ${CALLS_PER_SECOND} calls a second, ${SIZE.unprocessed.toLocaleString('en')} unprocessed deliveries, ${SIZE.calls.toLocaleString('en')} calls stored`,
      columns: COLUMNS,
      rows,
    },
  ];
};

export const [waitsSqlite, waitsPostgresql] = onBothEngines({
  name: 'waits',
  about: 'what others wait for while the service does something long',
  longestMs: 2_400_000,
  run: measure,
});
