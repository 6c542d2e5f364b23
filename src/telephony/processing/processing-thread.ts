import { SHARE_ENV, Worker } from 'node:worker_threads';
import { createOutage, type DatabaseSettings, type LogOptions, type Secret } from '../../platform/index.ts';
import type { KeyRingSettings } from '../../vault/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { DeliveryRow } from './delivery-store.ts';

const SCRIPT = new URL('./processor.thread.ts', import.meta.url);
/** How long rows are collected into one message to the thread, because each message wakes the thread. */
const GATHER_MS = 5;
/**
 * Limit for rows that were sent but that the thread hasn't read yet. Further rows aren't sent; the thread finds them in
 * the database.
 */
const MOST_UNREAD = 20_000;
/**
 * A small memory limit keeps garbage collections short. The thread may hold the database lock during one, and then
 * other writers wait.
 */
const MEMORY = { maxYoungGenerationSizeMb: 8 };
/** After this long without work, the thread ends and frees its memory: 90 MB after a flood. */
const QUIET_MS = 10_000;
/** After a failure, no thread is started for this long. Meanwhile, the work is done without a thread. */
const PAUSE_MS = 60_000;

/** What the thread needs to create its own log, database and vault. */
export type ProcessingThreadSettings = { log: LogOptions; database: DatabaseSettings; keys: KeyRingSettings };

const toText = (secret: Secret): string => secret.reveal();

/** Converts settings to what is sent to the thread. Secrets are sent as text only here. */
const printSettings = (url: string, { log, database, keys }: ProcessingThreadSettings) => ({
  url,
  log: { ...log, secrets: log.secrets.map(toText) },
  database: { ...database, url: database.url && toText(database.url) },
  keys: { ...keys, keys: toText(keys.keys) },
});

export type PrintedThreadSettings = ReturnType<typeof printSettings>;

export type ThreadRequest = { rows: readonly DeliveryRow[] } | { id: number; task: 'drain' | 'work off' };
/** Message from the thread. `read` is how many more rows the thread has read. */
export type ThreadMessage =
  | { read: number }
  | { id: number; failure: string | null }
  | { unknown: string }
  | { recorded: true };

type Task = { resolve(): void; reject(error: Error): void };

/** Starts the thread. Throws if the system is out of threads. */
const startWorker = (url: string, settings: ProcessingThreadSettings, onFailure: () => void): Worker => {
  try {
    const worker = new Worker(SCRIPT, {
      workerData: printSettings(url, settings),
      resourceLimits: MEMORY,
      execArgv: [],
      // If the database's URL leaves something out, the driver takes it from the environment.
      env: SHARE_ENV,
    });
    worker.unref();
    return worker;
  } catch (err) {
    onFailure();
    throw err;
  }
};

/** The processing thread. It starts when needed. Work that it left undone is found in the database. */
export const createProcessingThread = (
  { log, url, onUnknown, onRecorded }: Pick<TelephonyContext, 'log' | 'url' | 'onUnknown' | 'onRecorded'>,
  settings: ProcessingThreadSettings,
  quietMs = QUIET_MS,
) => {
  const tasks = new Map<number, Task>();
  const failing = createOutage(PAUSE_MS);
  let thread: Worker | undefined;
  let gathered: DeliveryRow[] = [];
  let unread = 0;
  let lastId = 0;
  let quietTimer: NodeJS.Timeout | undefined;

  const forget = (): void => {
    thread = undefined;
    gathered = [];
    unread = 0;
    clearTimeout(quietTimer);
    for (const { reject } of tasks.values()) reject(new Error('The processing thread has ended.'));
    tasks.clear();
  };

  const endTask = (id: number, failure: string | null): void => {
    const task = tasks.get(id);
    tasks.delete(id);
    if (tasks.size === 0) thread?.unref();
    if (failure === null) {
      task?.resolve();
      return;
    }
    task?.reject(new Error(failure));
    failing.begin();
    void end();
  };

  const hear = (message: ThreadMessage): void => {
    if ('read' in message) unread -= message.read;
    else if ('unknown' in message) onUnknown(message.unknown);
    else if ('recorded' in message) onRecorded();
    else endTask(message.id, message.failure);
  };

  const start = (): Worker => {
    const started = startWorker(url, settings, failing.begin);
    started.on('message', (message: ThreadMessage) => thread === started && hear(message));
    started.on('error', (err) => {
      failing.begin();
      log.error({ err }, 'the processing thread has failed');
    });
    started.on('exit', () => thread === started && forget());
    return started;
  };

  const send = (request: ThreadRequest): void => {
    if (!thread && failing.isOn()) throw new Error('The processing thread failed a moment ago.');
    thread ??= start();
    thread.postMessage(request);
    clearTimeout(quietTimer);
    quietTimer = setTimeout(() => void endWhenQuiet(), quietMs).unref();
  };

  const ask = (task: 'drain' | 'work off'): Promise<void> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      send({ id, task });
      tasks.set(id, { resolve, reject });
      // An idle thread must not keep the process alive, but a task that someone waits for must.
      thread?.ref();
    });

  const sendGathered = (): void => {
    const rows = gathered;
    gathered = [];
    if (rows.length === 0) return;
    try {
      send({ rows });
    } catch (err) {
      unread = 0;
      log.warn({ err }, 'deliveries are waiting because the processing thread could not be started');
    }
  };

  const end = async (): Promise<void> => {
    const ended = thread;
    forget();
    await ended?.terminate();
  };

  /** Ends the thread after it finished its work. If new work arrived meanwhile, the timer's next run ends it. */
  const endWhenQuiet = async (): Promise<void> => {
    if (!thread) return;
    const drained = ask('drain');
    const nextTime = quietTimer;
    await drained.catch(() => undefined);
    if (quietTimer === nextTime && tasks.size === 0) await end();
  };

  return {
    isRunning: (): boolean => thread !== undefined,
    canRun: (): boolean => thread !== undefined || !failing.isOn(),
    add(row: DeliveryRow): void {
      if (unread >= MOST_UNREAD) return;
      unread++;
      if (gathered.push(row) === 1) setTimeout(sendGathered, GATHER_MS);
    },
    async drain(): Promise<void> {
      sendGathered();
      if (thread) await ask('drain');
    },
    workOff: (): Promise<void> => ask('work off'),
    close: end,
  };
};
