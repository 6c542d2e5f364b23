import { getLastBackup, type RunCommand, runCommand, scheduleBackups } from './archive/index.ts';
import { type Config, readBrand, readIdentitySettings, readProviders, readQuickAccount } from './config/index.ts';
import { createPublicFrame, DASHBOARD_STYLES, dashboardRoutes, NAVIGATION } from './dashboard/index.ts';
import { createEvents, describeRequests, eventRoutes, logRoutes } from './events/index.ts';
import { createCallerLimit, createServer, type Routes, type Server } from './http/index.ts';
import { ConnectionTold, createBindingCookie, createIntegrations, createSandbox } from './integrations/index.ts';
import { createJobs } from './jobs/index.ts';
import { alertRoutes, createNotices } from './notices/index.ts';
import { createMetrics, debugRoutes, healthRoutes, metricsRoutes } from './operations/index.ts';
import {
  type Clock,
  closeToOthers,
  createCommitCount,
  createForwarder,
  createLog,
  createMailer,
  createNewId,
  createOutbound,
  createPause,
  createRateLimit,
  type Database,
  ensureDirectory,
  type Forwarder,
  findSecrets,
  holdForwarder,
  holdMailer,
  holdOutbound,
  type Log,
  type Outbound,
  openDatabase,
  systemClock,
} from './platform/index.ts';
import { createReports, ListedReport, reportRoutes } from './reports/index.ts';
import { ACCESS_TOKEN_SHAPE, connectSessionRoutes, createTeams, customerRoutes } from './teams/index.ts';
import { CallView, createTelephony, RecordingView } from './telephony/index.ts';
import { createKeyRings, createVault } from './vault/index.ts';

/** For tests and benchmarks; the service has none. */
export type Overrides = {
  clock?: Clock;
  log?: Log;
  routes?: readonly Routes[];
  outbound?: Outbound;
  forwarder?: Forwarder;
  threads?: boolean;
  runCommand?: RunCommand;
  settingsPatienceMs?: number;
  requestMs?: number;
};

const STATEMENT_TIMEOUT_MS = 10_000;
const FAILURES_PER_MINUTE = 600;
/** How long receivers of events may still respond when the service stops. */
const EVENTS_DRAIN_MS = 2_000;

/** The catalogue with everybody's clients; outside production also the sandbox, which is its own provider. */
const createProviders = (config: Config, log: Log, getDatabase: () => Database) => {
  if (!config.sandbox) return { ...readProviders(config), routes: [] };
  const { record, clientId, clientSecret, routes } = createSandbox({ url: config.url, log, getDatabase });
  const read = readProviders(config, { record, custom: true });
  read.operatorClients.set(record.id, { id: clientId, secret: clientSecret });
  return { ...read, routes: [routes] };
};

/**
 * The composition root: the one place that knows every room. The server, the commands and the tests are built from it.
 */
export const buildApp = (config: Config, overrides: Overrides = {}) => {
  const clock = overrides.clock ?? systemClock;
  const newId = createNewId(clock);
  const logOptions = {
    level: config.logLevel,
    secrets: findSecrets(config),
    shapes: [ACCESS_TOKEN_SHAPE],
    // Threads can't tell, so the process does.
    readable: process.stdout.isTTY,
  };
  const log = overrides.log ?? createLog(logOptions);
  const providers = createProviders(config, log, () => database);
  const quickAccount = readQuickAccount(config);
  const { url, data, production, limits, databaseUrl, returnOrigins } = config;
  ensureDirectory(data);
  closeToOthers(data);
  const databaseSettings = {
    url: databaseUrl,
    dataDirectory: data,
    poolSize: config.databasePoolSize,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    commits: createCommitCount(),
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
  const jobs = createJobs({ database, databaseUrl, clock, newId, log, pause, onFinished: metrics.onJobFinished });
  metrics.watchJobs(jobs);
  /** For the operator's identity provider, bucket and own address: what people need even while the service is paused. */
  const ownOutbound = overrides.outbound ?? createOutbound({ allowPrivate: !production });
  const outbound = holdOutbound(ownOutbound, pause);
  const openForwarder = () => createForwarder({ allowPrivate: !production });
  const forwarder = holdForwarder(overrides.forwarder ?? openForwarder(), pause);
  const basis = { database, clock, newId, log, vault, jobs, outbound, pause, url, production, limits };

  const { smtpUrl, mailFrom, adminToken, auditDays } = config;
  const mailer = smtpUrl && mailFrom ? holdMailer(createMailer({ url: smtpUrl, from: mailFrom }), pause) : null;
  const identity = readIdentitySettings(config);
  const onSignOut = createBindingCookie(url).clearOn;
  const teams = createTeams({ ...basis, outbound: ownOutbound, mailer, adminToken, auditDays, identity, onSignOut });

  const eventForwarder = holdForwarder(openForwarder(), pause);
  const events = createEvents({ ...basis, forwarder: eventForwarder });
  const recording = { ...basis, record: events.record };

  const { catalogue, operatorClients, webhookSecrets } = providers;
  const integrations = createIntegrations(
    { ...recording, returnOrigins, catalogue, operatorClients },
    { sessions: teams.connectSessions, brand: readBrand(config), forwarder, production, webhookSecrets },
  );

  const telephony = createTelephony({
    ...recording,
    onRecorded: events.sending.wake,
    data,
    onDelivery: metrics.onDelivery,
    onUnknown: metrics.onUnknown,
    quickAccount,
    bucket: config.bucket,
    recordingsFolder: config.recordings,
    shared: config.recordingsShared,
    bucketOutbound: ownOutbound,
    sealed: config.recordingsSealed === 'on',
    settingsPatienceMs: overrides.settingsPatienceMs,
    thread: overrides.threads === false ? null : { database: databaseSettings, keys: keySettings, log: logOptions },
  });
  metrics.expectDeliveries(telephony.providers.map(({ id }) => id));
  metrics.watchFullTeams(telephony.countFullTeams);

  const notices = createNotices({ ...basis, mailer, events });
  const reports = createReports({ ...recording, mailer, integrations });

  const { backupSchedule } = config;
  const run = overrides.runCommand ?? runCommand;
  const backups = backupSchedule && scheduleBackups({ ...basis, alerts: events.alerts.backup, run }, backupSchedule);
  const getLastBackupHere = async () => (await getLastBackup(database, clock.now())) ?? null;
  metrics.watchBackups(getLastBackupHere);

  const erasure = teams.createErasure([
    integrations.eraser,
    telephony.eraser,
    reports.eraser,
    notices.eraser,
    events.eraser,
  ]);

  const routes: readonly Routes[] = [
    healthRoutes({ ...basis, data }),
    metricsRoutes(metrics),
    debugRoutes(basis, { getLastRunAt: reports.getLastRunAt, getLastBackup: getLastBackupHere }),
    ...teams.routes,
    customerRoutes(teams.customers, {
      countConnections: integrations.countConnections,
      beginErasure: erasure.begin,
    }),
    connectSessionRoutes(teams.connectSessions, url, integrations.checkSessionOptions),
    logRoutes(events),
    alertRoutes({ ...events.alerts, ...notices.alerts }),
    ...eventRoutes(events),
    ...integrations.routes,
    ...telephony.routes,
    ...reportRoutes(reports),
    ...providers.routes,
    dashboardRoutes({ ...basis, teams, events, integrations, telephony, notices, reports }),
    ...(overrides.routes ?? []),
  ];

  return {
    ...recording,
    ownOutbound,
    config,
    unknownSettings: providers.unknownSettings,
    rings,
    teams,
    events,
    integrations,
    telephony,
    notices,
    reports,
    backups,
    erasure,
    /** `isOpen` is false until the database has been brought up to date. */
    createServer: (isOpen: () => boolean = () => true): Promise<Server> =>
      createServer({
        log,
        url,
        returnOrigins,
        trustedProxies: config.trustedProxies,
        maxConnections: config.maxConnections,
        routes,
        styles: DASHBOARD_STYLES,
        navigation: NAVIGATION,
        describeRequests: () =>
          describeRequests({
            connection: ConnectionTold,
            call: CallView,
            recording: RecordingView,
            report: ListedReport,
          }),
        frameOf: createPublicFrame({ ...basis, events, telephony }),
        onResponse: metrics.onResponse,
        requestMs: overrides.requestMs,
        isOpen,
        callers: teams.callers,
        sessionCookie: teams.sessionCookie,
        doors: {
          cron: config.cronSecrets,
          debug: config.debugToken ? [config.debugToken] : [],
          metrics: config.metricsToken ? [config.metricsToken] : [],
          operator: config.operatorTokens,
        },
        callerLimit: createCallerLimit({ clock, perMinute: config.rateLimit }),
        limit: createRateLimit({ clock, perMinute: config.rateLimit }),
        failures: createRateLimit({ clock, perMinute: FAILURES_PER_MINUTE }),
        operatorLimit: createRateLimit({ clock, perMinute: config.operatorRateLimit }),
        operatorTeamLimit: createRateLimit({ clock, perMinute: config.operatorRateLimit / 10 }),
      }),
    async close({ drainMs = 0 } = {}): Promise<void> {
      await jobs.stop({ drainMs });
      await notices.alerts.stop();
      await events.sending.stop({ drainMs: Math.min(drainMs, EVENTS_DRAIN_MS) });
      await telephony.close();
      await forwarder.close();
      await integrations.close();
      await database.close();
    },
  };
};

export type App = ReturnType<typeof buildApp>;
