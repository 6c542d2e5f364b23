import type { RunCommand } from './archive/index.ts';
import { type Config, readProviders } from './config/index.ts';
import type { Routes } from './http/index.ts';
import { createSandbox } from './integrations/index.ts';
import { createJobs } from './jobs/index.ts';
import { createMetrics } from './operations/index.ts';
import {
  type Clock,
  closeToOthers,
  createCommitCount,
  createForwarder,
  createLog,
  createNewId,
  createOutbound,
  createPause,
  createTracing,
  type Database,
  ensureDirectory,
  type Forwarder,
  findSecrets,
  holdForwarder,
  holdOutbound,
  type Log,
  type Outbound,
  openDatabase,
  systemClock,
  traceForwarder,
  traceOutbound,
} from './platform/index.ts';
import { ACCESS_TOKEN_SHAPE } from './teams/index.ts';
import { createKeyRings, createVault } from './vault/index.ts';

/** Replacements for tests and benchmarks. The service itself uses none. */
export type Overrides = {
  clock?: Clock;
  log?: Log;
  routes?: readonly Routes[];
  outbound?: Outbound;
  forwarder?: Forwarder;
  /** False if everything runs in this thread. */
  threads?: boolean;
  runCommand?: RunCommand;
  settingsPatienceMs?: number;
  requestMs?: number;
};

const STATEMENT_TIMEOUT_MS = 10_000;

/** The catalog and the operator's OAuth clients. If the sandbox is on, it's included, with its own client. */
const createProviders = (config: Config, log: Log, getDatabase: () => Database) => {
  if (!config.sandbox) return { ...readProviders(config), routes: [] };
  const { record, clientId, clientSecret, routes } = createSandbox({ url: config.url, log, getDatabase });
  const read = readProviders(config, { record, custom: true });
  read.operatorClients.set(record.id, { id: clientId, secret: clientSecret });
  return { ...read, routes: [routes] };
};

/** Creates what all parts of the service share: database, clock, log, vault, jobs, and outgoing requests. */
export const layGround = (config: Config, overrides: Overrides) => {
  const clock = overrides.clock ?? systemClock;
  const newId = createNewId(clock);
  const logOptions = {
    level: config.logLevel,
    secrets: findSecrets(config),
    shapes: [ACCESS_TOKEN_SHAPE],
    // Checked here and passed on to threads, which can't tell whether the output is a terminal.
    readable: process.stdout.isTTY,
  };
  const log = overrides.log ?? createLog(logOptions);
  const tracing = createTracing(config.collector, log);
  const providers = createProviders(config, log, () => database);
  const { url, data, production, limits, databaseUrl } = config;
  ensureDirectory(data);
  closeToOthers(data);
  const databaseSettings = {
    url: databaseUrl,
    dataDirectory: data,
    poolSize: config.databasePoolSize,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    commits: createCommitCount(),
    ...(overrides.threads === false && { checkpointThread: false }),
  };
  const database = openDatabase(databaseSettings, (err) => log.warn({ err }, 'a database connection was lost'));
  if (!config.keys) throw new Error('The settings hold no keys.');
  const keySettings = { keys: config.keys, keptIn: config.keysKept ? data : null };
  const rings = createKeyRings(keySettings);
  const vault = createVault({ database, rings, clock, newId });
  const metrics = createMetrics();
  const pause = createPause({ database, log });
  metrics.watchDatabase(database);
  metrics.watchPause(pause);
  const jobs = createJobs({ database, clock, newId, log, pause, tracing, onFinished: metrics.onJobFinished });
  metrics.watchJobs(jobs);
  /**
   * Outgoing requests that also work while the service is paused: to the operator's identity provider and bucket, and
   * to our own URL.
   */
  const ownOutbound = traceOutbound(overrides.outbound ?? createOutbound({ allowPrivate: !production }), tracing);
  const outbound = holdOutbound(ownOutbound, pause);
  /** Makes outgoing requests with a body of any size, which are traced, and fail while the service is paused. */
  const openForwarder = (given?: Forwarder): Forwarder =>
    holdForwarder(traceForwarder(given ?? createForwarder({ allowPrivate: !production }), tracing), pause);
  const basis = { database, clock, newId, log, vault, jobs, outbound, pause, url, production, limits };
  const thread = { database: databaseSettings, keys: keySettings, log: logOptions };
  return { basis, ownOutbound, openForwarder, rings, metrics, providers, thread, tracing };
};
