import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, buildApp } from './app.ts';
import { type Config, summarizeConfig } from './config/index.ts';
import { ensureFirstRun, makeWelcome } from './first-run.ts';
import { listenWidely, type Server } from './http/index.ts';
import {
  CommandRefused,
  DatabaseUnavailable,
  DirectoryTaken,
  giveBackMemoryWhenQuiet,
  isWritable,
  type Log,
  lockDirectory,
  MigrationRefused,
  migrateBeside,
  PAUSED_ADVICE,
  within,
} from './platform/index.ts';
import { RingIncomplete } from './vault/index.ts';

const DRAIN_MS = 10_000;
const SHUTDOWN_MS = 14_000;
const LONGEST_WAIT_MS = 10_000;
const IDLE_CHECK_MS = 100;
const RECORDINGS_KEPT =
  'recordings are stored in the data directory of this process, and other processes on this database cannot read or erase them; set PATCHBAY_RECORDINGS to a directory that all of them share, or set up a bucket';
/** How long connections may take to close by themselves before the process exits. */
const LINGER_MS = 500;

const takeDirectory = (directory: string) => {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (!(error instanceof DirectoryTaken)) throw error;
    throw new CommandRefused(`${error.message} Stop it, or set PATCHBAY_DATA to another directory.`);
  }
};

/** Brings the database up to date and verifies the keys. Returns what to print on the first run. */
const prepare = async (app: App): Promise<string | null> => {
  const applied = await migrateBeside(app.database, { dataDirectory: app.config.data }, app.clock);
  if (applied.length > 0) app.log.info({ applied }, 'database migrated');
  await app.vault.verifyRing();
  const said = await ensureFirstRun(app);
  await app.telephony.prepare();
  return said;
};

/**
 * A line for people if the service is paused. A restored copy starts paused, and the operator may have forgotten that.
 */
const announcePause = async ({ pause }: App): Promise<string> => {
  const paused = await pause.read();
  return paused ? `It is paused. ${paused.reason} ${PAUSED_ADVICE}\n` : '';
};

/** Retries while the database is unavailable, so that nobody has to restart the service afterward. */
const prepareWhenPossible = async (app: App, signal: AbortSignal): Promise<string | null> => {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await prepare(app);
    } catch (err) {
      if (!(err instanceof DatabaseUnavailable)) throw err;
      app.log.warn({ err, retryInMs: waitMs }, 'the database is unavailable; trying again');
      await sleep(waitMs, undefined, { signal });
    }
  }
};

/** Lets requests finish. Closes idle connections right away, and all other connections after `drainMs`. */
const closeServer = async (server: Server, stopListening: () => Promise<void>, drainMs: number): Promise<void> => {
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
  try {
    await Promise.all([stopListening(), server.close()]);
  } finally {
    clearInterval(closeIdle);
    clearTimeout(cut);
  }
};

const shutDown = async (app: App, server: Server, stopListening: () => Promise<void>): Promise<void> => {
  const closing = Promise.all([closeServer(server, stopListening, DRAIN_MS), app.jobs.stop({ drainMs: DRAIN_MS })]);
  const ended = closing.then(() => app.close()).then(() => true);
  if (await within(SHUTDOWN_MS, ended)) {
    app.log.info({}, 'stopped');
    // All work is done. Exit soon, even if a connection to an unresponsive server still keeps the process alive.
    setTimeout(() => process.exit(), LINGER_MS).unref();
    return;
  }
  app.log.error({}, 'some work did not finish before shutdown');
  process.exit(1);
};

/** Resolves to the first signal to stop. */
const waitForSignal = (): { stopped: Promise<string> } => {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  return { stopped: promise };
};

/** Logs an uncaught bug, with secrets removed, and exits. A supervisor restarts the process. */
const endOnBug = (log: Log): void => {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'stopped by a bug');
    process.exit(1);
  });
};

/**
 * Starts the process for long reads ahead of time, so that the first report doesn't wait for it. Doesn't compile the
 * routes' schemas: all of them together take 20 MB, and compiling one at the first request takes 2 to 14 ms.
 */
const warmUp = async ({ database, log }: App): Promise<void> => {
  try {
    await database.scan('select 1 as one', []);
  } catch (err) {
    log.debug({ err }, 'the process for long reads could not be started ahead of time');
  }
};

/** Serves until the process gets a signal to stop. Throws CommandRefused if the service can't start. */
export const serve = async (config: Config, print: (text: string) => void): Promise<void> => {
  const lock = takeDirectory(config.data);
  const app = buildApp(config);
  const { log } = app;
  endOnBug(log);
  const { stopped } = waitForSignal();
  const stopping = new AbortController();
  const memory = giveBackMemoryWhenQuiet();
  let open = false;
  let stopListening = async (): Promise<void> => undefined;
  const server = await app.createServer(() => open);
  // Save compiled code now. By default, it's saved only at exit, so a killed process saves nothing for the next start.
  flushCompileCache();
  try {
    log.info(summarizeConfig(config), 'starting');
    if (config.productionByAddress)
      log.info({ url: config.url }, 'production rules are on because PATCHBAY_URL is not a loopback address');
    if (app.telephony.keepsRecordingsToItself) log.warn({ data: config.data }, RECORDINGS_KEPT);
    if (!config.bucket && !isWritable(config.recordings))
      log.error(
        { recordings: config.recordings },
        'recordings cannot be stored, because the directory is not writable',
      );
    for (const setting of app.unknownSettings) log.warn(setting, 'there is no such setting, so it is ignored');
    const preparing = prepareWhenPossible(app, stopping.signal);
    // Listens even while the database is unavailable, so that probes see a live process that isn't ready.
    const listening = within(1_000, preparing).then(async () => {
      stopListening = await listenWidely(server, { host: config.host, port: config.port });
      lock.announce(config.url);
    });
    const begun = Promise.all([preparing, listening]).then(async ([firstRun]) => {
      const welcome = await makeWelcome(app);
      open = true;
      app.jobs.start();
      app.events.sending.start();
      app.notices.alerts.start();
      await app.telephony.start();
      app.telephony.crms.start();
      await app.integrations.webhooks.keeper.start();
      log.info({ url: config.url }, 'ready');
      print((firstRun ?? welcome ?? `Patchbay is ready at ${config.url}\n`) + (await announcePause(app)));
      await warmUp(app);
    });
    await Promise.race([begun, stopped]);
    const reason = await stopped;
    log.info({ reason }, 'stopping');
    stopping.abort();
    await shutDown(app, server, stopListening);
  } catch (error) {
    stopping.abort();
    await closeServer(server, stopListening, 0);
    await app.close();
    if (error instanceof MigrationRefused || error instanceof RingIncomplete) throw new CommandRefused(error.message);
    throw error;
  } finally {
    memory.stop();
    lock.release();
  }
};
