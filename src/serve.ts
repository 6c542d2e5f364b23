import { setTimeout as sleep } from 'node:timers/promises';
import { type App, buildApp } from './app.ts';
import { type Config, summarizeConfig } from './config/index.ts';
import { ensureFirstRun, makeWelcome } from './first-run.ts';
import type { Server } from './http/index.ts';
import {
  CommandRefused,
  DatabaseUnavailable,
  DirectoryTaken,
  giveBackMemoryWhenQuiet,
  type Log,
  lockDirectory,
  MigrationRefused,
  migrateBeside,
  within,
} from './platform/index.ts';
import { RingIncomplete } from './vault/index.ts';

const DRAIN_MS = 10_000;
const SHUTDOWN_MS = 14_000;
const LONGEST_WAIT_MS = 10_000;
const IDLE_CHECK_MS = 100;

const takeDirectory = (directory: string) => {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (!(error instanceof DirectoryTaken)) throw error;
    throw new CommandRefused(`${error.message} Stop it, or set PATCHBAY_DATA to another directory.`);
  }
};

/** Brings the database up to date and makes sure that its keys open. Answers what a first run has to say. */
const prepare = async (app: App): Promise<string | null> => {
  const applied = await migrateBeside(app.database, { dataDirectory: app.config.data }, app.clock);
  if (applied.length > 0) app.log.info({ applied }, 'database migrated');
  await app.vault.verifyRing();
  const said = await ensureFirstRun(app);
  await app.telephony.prepare();
  return said;
};

/** Keeps trying while the database is away: an operator restarts a database, not us. */
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

/** Lets requests finish and is held up by nobody: idle connections are closed as they fall idle, the rest is cut in time. */
const closeServer = async (server: Server, drainMs: number): Promise<void> => {
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs);
  try {
    await server.close();
  } finally {
    clearInterval(closeIdle);
    clearTimeout(cut);
  }
};

const shutDown = async (app: App, server: Server): Promise<void> => {
  const closing = Promise.all([closeServer(server, DRAIN_MS), app.jobs.stop({ drainMs: DRAIN_MS })]);
  const ended = closing.then(() => app.close()).then(() => true);
  if (await within(SHUTDOWN_MS, ended)) return;
  app.log.error({}, 'some work did not finish before shutdown');
  process.exit(1);
};

/** A first cause to stop, and the reason why. */
const waitForSignal = (): { stopped: Promise<string> } => {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  return { stopped: promise };
};

/** A bug that nobody caught: the log strikes secrets out of it, and a supervisor starts the process again. */
const endOnBug = (log: Log): void => {
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'stopped by a bug');
    process.exit(1);
  });
};

/**
 * What the first report would wait for: the process for long reads. Schemas are left to the first request of each route,
 * which takes 2 to 14 ms more: all of them together are 20 MB.
 */
const warmUp = async ({ database, log }: App): Promise<void> => {
  try {
    await database.scan('select 1 as one', []);
  } catch (err) {
    log.debug({ err }, 'the process for long reads could not be started ahead of time');
  }
};

/** Serves until it is told to stop. Throws CommandRefused where it cannot begin. */
export const serve = async (config: Config, print: (text: string) => void): Promise<void> => {
  const lock = takeDirectory(config.data);
  const app = buildApp(config);
  const { log } = app;
  endOnBug(log);
  const { stopped } = waitForSignal();
  const stopping = new AbortController();
  const memory = giveBackMemoryWhenQuiet();
  let open = false;
  const server = await app.createServer(() => open);
  try {
    log.info(summarizeConfig(config), 'starting');
    if (config.productionByAddress)
      log.info({ url: config.url }, 'production rules are on because PATCHBAY_URL is not a loopback address');
    const preparing = prepareWhenPossible(app, stopping.signal);
    // The address is taken while a missing database is waited for: probes then see a live process that is not ready.
    const listening = within(1_000, preparing).then(() => server.listen({ host: config.host, port: config.port }));
    const begun = Promise.all([preparing, listening]).then(async ([firstRun]) => {
      const welcome = await makeWelcome(app);
      open = true;
      app.jobs.start();
      await app.telephony.start();
      log.info({ url: config.url }, 'ready');
      print(firstRun ?? welcome ?? `Patchbay is ready at ${config.url}\n`);
      await warmUp(app);
    });
    await Promise.race([begun, stopped]);
    const reason = await stopped;
    log.info({ reason }, 'stopping');
    stopping.abort();
    await shutDown(app, server);
  } catch (error) {
    stopping.abort();
    await closeServer(server, 0);
    await app.close();
    if (error instanceof MigrationRefused || error instanceof RingIncomplete) throw new CommandRefused(error.message);
    throw error;
  } finally {
    memory.stop();
    lock.release();
  }
};
