import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { createJournal } from '../../src/telephony/journal.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import type { Result, Table, Tools } from '../benchmark.ts';
import { type EngineChoice, onBothEngines } from '../both-engines.ts';
import { sealDeliveries } from '../telephony/unprocessed-deliveries.ts';
import {
  checkpoint,
  eraseNumber,
  pruneTelephony,
  refreshConnections,
  reportOfLargeTeam,
  reportsOfAllTeams,
  rotateKeys,
  verifyReport,
} from './changing-tasks.ts';
import { type LargeService, makeLargeService } from './make-large-service.ts';
import { COLUMNS, fillUpBacklog, measureTask, type Task } from './measure-task.ts';
import { readingTasks } from './reading-tasks.ts';
import { CALLS_PER_SECOND, SIZE } from './size.ts';
import { openStage, waitUntil } from './stage.ts';

/** Time passes; the service does what it does by itself. */
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

/** As a service leaves it that was killed while its database was away. */
const writeJournal = async (app: App, { settings, line }: LargeService): Promise<void> => {
  const { vault, log } = app;
  const journal = createJournal({ directory: journalOf(settings.PATCHBAY_DATA), vault, log });
  for await (const rows of sealDeliveries(app, line, SIZE.journaled)) await Promise.all(rows.map(journal.append));
  await journal.close();
};

/** A service is started for some of the tasks, and killed after them. */
type Act = { prepare?: (app: App) => Promise<void>; tasks: readonly Task[] };

const listActs = (large: LargeService): Act[] => {
  const fillUp = (app: App) => fillUpBacklog({ app, line: large.line });
  return [
    {
      tasks: [
        { ...letTimePass('nothing but calls'), withoutBacklog: true },
        letTimePass('unprocessed deliveries'),
        ...readingTasks,
        checkpoint,
        refreshConnections,
        pruneTelephony,
        eraseNumber,
      ],
    },
    {
      prepare: fillUp,
      tasks: [{ ...letTimePass('unprocessed deliveries, right after a start'), withoutBacklog: true, fromStart: true }],
    },
    {
      async prepare(app) {
        await fillUp(app);
        await writeJournal(app, large);
      },
      tasks: [readJournalBack, rotateKeys, reportOfLargeTeam, verifyReport, reportsOfAllTeams],
    },
  ];
};

const perform = async (large: LargeService, { prepare, tasks }: Act, tools: Tools): Promise<Table['rows']> => {
  await using cleanUp = new AsyncDisposableStack();
  const stage = await openStage(large, cleanUp, prepare);
  const rows = [];
  for (const task of tasks) rows.push(await measureTask(stage, task, tools));
  return rows;
};

const measure = async (tools: Tools, { title, databaseUrl }: EngineChoice): Promise<Result[]> => {
  const made = await makeLargeService(tools, databaseUrl);
  const rows = [];
  for (const [index, act] of listActs(made).entries()) {
    // From the second start on there is a new key, which a rotation then finds.
    const { PATCHBAY_KEYS } = made.settings;
    const settings = index === 0 ? made.settings : { ...made.settings, PATCHBAY_KEYS: extendKeyRing(PATCHBAY_KEYS) };
    rows.push(...(await perform({ ...made, settings }, act, tools)));
  }
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
