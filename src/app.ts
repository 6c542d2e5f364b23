import { createAgents, createFindGrant } from './agents/index.ts';
import { getLastBackup, runCommand, scheduleBackups } from './archive/index.ts';
import { type Config, readBrand, readIdentitySettings, readQuickAccount } from './config/index.ts';
import { createPublicFrame, DASHBOARD_STYLES, dashboardRoutes, NAVIGATION } from './dashboard/index.ts';
import { createEvents, describeRequests, eventRoutes, logRoutes, payloadRoutes } from './events/index.ts';
import { createCallerLimit, createServer, type Routes, type Server } from './http/index.ts';
import {
  ApprovalTold,
  ConnectionTold,
  ContainmentView,
  createBindingCookie,
  createIntegrations,
} from './integrations/index.ts';
import { layGround, type Overrides } from './lay-ground.ts';
import { alertRoutes, createNotices } from './notices/index.ts';
import { debugRoutes, healthRoutes, metricsRoutes } from './operations/index.ts';
import { type Clock, createMailer, createRateLimit, holdMailer } from './platform/index.ts';
import { createReports, ListedReport, reportRoutes } from './reports/index.ts';
import { connectSessionRoutes, createTeams, customerRoutes } from './teams/index.ts';
import { CallView, createTelephony, RecordingView } from './telephony/index.ts';
import { deriveSecret } from './vault/index.ts';

const FAILURES_PER_MINUTE = 600;
/** How long receivers of events have to respond after the service begins to stop. */
const EVENTS_DRAIN_MS = 2_000;

const EVENT_SHAPES = {
  connection: ConnectionTold,
  call: CallView,
  recording: RecordingView,
  transcript: RecordingView,
  report: ListedReport,
  approval: ApprovalTold,
  containment: ContainmentView,
};

/** Settings about who may call the server, and how often. */
const readAccess = (config: Config, clock: Clock) => {
  const { returnOrigins, trustedProxies, maxConnections, rateLimit, operatorRateLimit } = config;
  return {
    returnOrigins,
    trustedProxies,
    maxConnections,
    doors: {
      cron: config.cronSecrets,
      debug: config.debugToken ? [config.debugToken] : [],
      metrics: config.metricsToken ? [config.metricsToken] : [],
      operator: config.operatorTokens,
    },
    callerLimit: createCallerLimit({ clock, perMinute: rateLimit }),
    limit: createRateLimit({ clock, perMinute: rateLimit }),
    failures: createRateLimit({ clock, perMinute: FAILURES_PER_MINUTE }),
    operatorLimit: createRateLimit({ clock, perMinute: operatorRateLimit }),
    operatorTeamLimit: createRateLimit({ clock, perMinute: operatorRateLimit / 10 }),
  };
};

/** The composition root: the only file that knows all parts of the service. The server, commands, and tests use it. */
export const buildApp = (config: Config, overrides: Overrides = {}) => {
  const { basis, ownOutbound, openForwarder, rings, metrics, providers, thread, tracing } = layGround(
    config,
    overrides,
  );
  const { database, clock, log, jobs, pause, url, production } = basis;
  const forwarder = openForwarder(overrides.forwarder);
  const { data, smtpUrl, mailFrom, adminToken, auditDays } = config;
  const mailer = smtpUrl && mailFrom ? holdMailer(createMailer({ url: smtpUrl, from: mailFrom }), pause) : null;
  const identity = readIdentitySettings(config);
  const onSignOut = createBindingCookie(url).clearOn;
  const teams = createTeams({
    ...{ ...basis, outbound: ownOutbound, mailer, adminToken, auditDays, identity, onSignOut },
    findGrant: createFindGrant(basis),
    bindAllowed: (...asked) => integrations.bindAllowed(...asked),
  });

  const events = createEvents({ ...basis, forwarder: openForwarder() });
  const recording = { ...basis, record: events.record };

  const { catalogue, operatorClients, webhookSecrets } = providers;
  const integrations = createIntegrations(
    { ...recording, returnOrigins: config.returnOrigins, catalogue, operatorClients, verifies: config.verify === 'on' },
    {
      ...{ sessions: teams.connectSessions, brand: readBrand(config), forwarder, production },
      forgetCallers: teams.callers.forget,
      onPeopleEnded: (tx, ended) => telephony.eraseCrmData(tx, ended),
      webhooks: { webhookSecrets, data, onWebhook: metrics.onWebhook },
    },
  );

  const telephony = createTelephony({
    ...recording,
    onRecorded: events.sending.wake,
    people: integrations.people,
    followNews: events.followNews,
    data,
    onDelivery: metrics.onDelivery,
    onUnknown: metrics.onUnknown,
    quickAccount: readQuickAccount(config),
    bucket: config.bucket,
    recordingsFolder: config.recordings,
    shared: config.recordingsShared,
    bucketOutbound: ownOutbound,
    sealed: config.recordingsSealed === 'on',
    transcriber: config.transcriber,
    settingsPatienceMs: overrides.settingsPatienceMs,
    thread: overrides.threads === false ? null : thread,
  });
  metrics.expectDeliveries(telephony.providers.map(({ id }) => id));
  metrics.watchFullTeams(telephony.countFullTeams);

  const notices = createNotices({ ...basis, mailer, events });
  const reports = createReports({ ...recording, mailer, integrations });
  const agents = createAgents({
    ...{ ...basis, redirectSchemes: config.mcpRedirectSchemes ?? [] },
    cookieSecret: config.keys ? deriveSecret(config.keys, 'agents') : '',
    ...{ tokens: teams.tokens, team: teams.team, members: teams.members },
    ...{ integrations, calls: telephony.calls, reports, countRecent: events.countRecent },
  });

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
    payloadRoutes(events),
    alertRoutes({ ...events.alerts, ...notices.alerts }),
    ...eventRoutes(events),
    ...integrations.routes,
    ...telephony.routes,
    ...reportRoutes(reports),
    ...agents.routes,
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
    agents,
    backups,
    erasure,
    /** `isOpen` is false until the database has been brought up to date. */
    createServer: async (isOpen: () => boolean = () => true): Promise<Server> =>
      createServer({
        ...readAccess(config, clock),
        tracer: await tracing.load(),
        log,
        url,
        routes,
        styles: DASHBOARD_STYLES,
        navigation: NAVIGATION,
        describeRequests: () => describeRequests(EVENT_SHAPES),
        frameOf: createPublicFrame({ ...basis, events, telephony }),
        onResponse: metrics.onResponse,
        requestMs: overrides.requestMs,
        isOpen,
        callers: teams.callers,
        sessionCookie: teams.sessionCookie,
      }),
    async close({ drainMs = 0 } = {}): Promise<void> {
      await jobs.stop({ drainMs });
      await notices.alerts.stop();
      await events.sending.stop({ drainMs: Math.min(drainMs, EVENTS_DRAIN_MS) });
      await telephony.close();
      await forwarder.close();
      await integrations.close();
      await database.close();
      await tracing.close();
    },
  };
};

export type App = ReturnType<typeof buildApp>;
