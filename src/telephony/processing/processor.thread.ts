// The thread that assembles calls during a flood. It has its own database connection and vault, and knows nothing about
// HTTP.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createRecorder } from '../../events/index.ts';
import { createJobs } from '../../jobs/index.ts';
import { createLog, createNewId, giveWay, openDatabase, Secret, systemClock } from '../../platform/index.ts';
import { createKeyRings, createVault } from '../../vault/index.ts';
import { PROVIDERS } from '../providers/index.ts';
import type { PrintedThreadSettings, ThreadMessage, ThreadRequest } from './processing-thread.ts';
import { createProcessor } from './processor.ts';

const LOW_PRIORITY = 5;
/** Connections for two batches at once, plus one that reads waiting deliveries. */
const POOL_SIZE = 3;

const port = parentPort;
if (!port) throw new Error('This is a thread of the service.');
const settings: PrintedThreadSettings = workerData;

const tell = (message: ThreadMessage): void => port.postMessage(message);
const toSecret = (text: string): Secret => new Secret(text);

// Lowers the priority, because callers come first. Only Linux has priorities per thread; elsewhere, this would change
// the whole process.
if (process.platform === 'linux' && getPriority() < LOW_PRIORITY) setPriority(LOW_PRIORITY);

const clock = systemClock;
const newId = createNewId(clock);
const log = createLog({ ...settings.log, secrets: settings.log.secrets.map(toSecret) });
const databaseUrl = settings.database.url === null ? null : toSecret(settings.database.url);
const database = openDatabase({ ...settings.database, url: databaseUrl, poolSize: POOL_SIZE, beside: true }, (err) =>
  log.warn({ err }, 'a database connection was lost'),
);
const vault = createVault({
  database,
  rings: createKeyRings({ ...settings.keys, keys: toSecret(settings.keys.keys) }),
  clock,
  newId,
});
const jobs = createJobs({ database, clock, newId, log });
const { url } = settings;
const { record } = createRecorder({ clock, newId, vault, url, onRecorded: () => tell({ recorded: true }) });
const onUnknown = (provider: string): void => tell({ unknown: provider });
// No request is answered on this thread, so it doesn't pause between batches. It only lets other tasks run.
const processor = createProcessor(
  { database, vault, clock, newId, log, jobs, record, url, providers: PROVIDERS, onUnknown },
  { rest: giveWay },
);

const perform = async (id: number, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
    tell({ id, failure: null });
  } catch (error) {
    tell({ id, failure: error instanceof Error ? error.message : 'unknown' });
  }
};

port.on('message', (request: ThreadRequest) => {
  if ('task' in request) void perform(request.id, request.task === 'drain' ? processor.drain : processor.workOff);
  else {
    for (const row of request.rows) processor.add(row);
    tell({ read: request.rows.length });
  }
});
