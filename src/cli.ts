import { type App, buildApp } from './app.ts';
import {
  backupCommands,
  backupListCommand,
  backupNowCommand,
  createBackupPlace,
  loadCommands,
} from './archive/index.ts';
import { findKeys, loadConfig, type MayCreate } from './config/index.ts';
import { eventCommands } from './events/index.ts';
import { explainFailure } from './explain-failure.ts';
import { importCommands } from './imports/index.ts';
import { containmentCommands, providerCommands, requestCommands } from './integrations/index.ts';
import { jobCommands } from './jobs/index.ts';
import { loadSettings } from './load-settings.ts';
import { doctorCommand, migrateCommand, pauseCommands } from './operations/index.ts';
import {
  type Command,
  CommandRefused,
  createProgress,
  describeUnknown,
  findAnnounced,
  findCommand,
  forTerminal,
  getMigrationState,
  helpOf,
  parseCommand,
  toTerminalJson,
} from './platform/index.ts';
import { explain, PROGRAM, print } from './print-help.ts';
import { reportCommands } from './reports/index.ts';
import { serve } from './serve.ts';
import { teamCommands, tokenCommands, userCommands } from './teams/index.ts';
import { simulateCommands, telephonyCommands } from './telephony/index.ts';
import { keyCommands, parseKeyRing } from './vault/index.ts';

/** Files are private to this user, even in a directory that others can read. */
const UMASK = 0o077;

const readConfigHere = (environment = process.env, mayCreate: MayCreate = 'database') =>
  loadConfig(environment, process.cwd(), { mayCreate });

/**
 * Finds the key ring in the environment or the working directory. Returns null if there is none, and never creates one.
 */
const findRingHere = () => {
  const keys = findKeys(process.env, process.cwd());
  return keys && parseKeyRing(keys);
};

/** Reads the settings. If a service is running on this data directory, uses the URL that it announced. */
const readConfigBesideService = (mayCreate: MayCreate) => {
  const config = readConfigHere(process.env, mayCreate);
  const url = findAnnounced(config.data);
  return url === null || url === config.url ? config : readConfigHere({ ...process.env, PATCHBAY_URL: url });
};

/** Refuses a database that is empty or newer than this version. Returns how many migrations are pending. */
const refuseUnlessKnown = async ({ database }: App): Promise<number> => {
  const { applied, pending, unknown } = await getMigrationState(database);
  if (unknown.length > 0) throw new CommandRefused(describeUnknown(unknown));
  if (applied === 0)
    throw new CommandRefused(
      'The database is empty. Check that PATCHBAY_DATA or DATABASE_URL is the one of the service, or start the service to fill it.',
    );
  return pending.length;
};

const refuseUnlessCurrent = async (app: App): Promise<void> => {
  if ((await refuseUnlessKnown(app)) > 0)
    throw new CommandRefused('The database is not up to date. Run "migrate", or start the service.');
};

/** Opens the service's database for commands, once, when it's first needed. */
const createOpener = () => {
  let app: App | undefined;
  const build = async (mayCreate: MayCreate): Promise<App> => {
    app ??= buildApp({ ...readConfigBesideService(mayCreate), logLevel: 'error' });
    return app;
  };
  return {
    openOrCreate: () => build('database'),
    /** Opens the database without checking its migrations. */
    openAnyway: () => build('secrets'),
    /** Opens the database even if migrations are pending. */
    openOlder: async (): Promise<App> => {
      const opened = await build('secrets');
      await refuseUnlessKnown(opened);
      return opened;
    },
    open: async (): Promise<App> => {
      const opened = await build('secrets');
      await refuseUnlessCurrent(opened);
      return opened;
    },
    close: async (): Promise<void> => app?.close(),
  };
};

type Opener = ReturnType<typeof createOpener>;

const serveCommand: Command = {
  name: 'serve',
  about: 'Starts the service and runs until you stop it. Same as "npm start".',
  async run() {
    await serve(readConfigHere(), print);
    return { text: '', json: { stopped: true } };
  },
};

/** Where scheduled backups are kept. Null if no backups are scheduled. */
const placeOf = ({ config: { data, bucket, backupSchedule }, clock, ownOutbound: outbound }: App) =>
  backupSchedule && createBackupPlace({ clock, data, outbound }, backupSchedule, bucket);

const listCommands = ({ open, openAnyway, openOlder, openOrCreate }: Opener): Command[] => [
  serveCommand,
  migrateCommand(openOrCreate, openAnyway),
  ...teamCommands(open),
  ...userCommands(open),
  ...tokenCommands(open),
  ...keyCommands(open),
  ...telephonyCommands(open),
  ...reportCommands(open),
  ...eventCommands(open, print),
  ...simulateCommands(open),
  ...jobCommands(open),
  ...backupCommands(async () => {
    const app = await openOlder();
    const store = { url: app.config.databaseUrl, dataDirectory: app.config.data };
    return { ...app, store, audio: app.telephony.readAllAudio };
  }, findRingHere),
  backupListCommand(async () => {
    const app = await open();
    return { ...app, place: placeOf(app) };
  }),
  backupNowCommand(async () => {
    const app = await open();
    const { data, databaseUrl, backupSchedule } = app.config;
    const place = placeOf(app);
    if (!backupSchedule || !place) return null;
    const audio = backupSchedule.recordings ? app.telephony.readAllAudio : null;
    const { keep } = backupSchedule;
    const alerts = app.events.alerts.backup;
    return { ...app, store: { url: databaseUrl, dataDirectory: data }, audio, place, keep, alerts };
  }),
  ...loadCommands(
    loadSettings({
      readEmpty: () => readConfigHere(process.env, 'nothing'),
      readUsed: () => readConfigHere(process.env, 'secrets'),
      open,
    }),
  ),
  ...pauseCommands(open),
  ...importCommands(open),
  ...containmentCommands(open),
  ...providerCommands(open),
  ...requestCommands(open),
  doctorCommand(async () => {
    const app = await openAnyway();
    const { checkBucket, keepsRecordingsToItself, hasNewestAudio, countJournaled } = app.telephony;
    const { webhooks } = app.integrations;
    const { data, bucket, recordings, recordingsShared } = app.config;
    const place = placeOf(app);
    return {
      ...app,
      data,
      sharedRecordings: recordingsShared && !bucket ? recordings : null,
      hasNewestAudio,
      countJournaled: async () => (await countJournaled()) + (await webhooks.countJournaled()),
      measureBackup: async (name) => place?.measure(name) ?? null,
      issuer: app.config.authIssuer,
      checkBucket,
      keepsRecordingsToItself,
      checkMail: app.reports.checkMail,
      collector: app.config.collector,
      transcriber: app.config.transcriber,
    };
  }),
];

const execute = async (commands: readonly Command[], args: readonly string[]): Promise<number> => {
  const command = findCommand(commands, args);
  if (!command) return explain(commands, args);
  const { words, options, json, help } = parseCommand(command, args);
  if (help) {
    print(`${helpOf(PROGRAM, command)}\n`);
    return 0;
  }
  const progress = createProgress(process.stderr);
  const output = await command.run({ words, options, json, progress: progress.report }).finally(progress.end);
  if (json) print(`${toTerminalJson(output.json)}\n`);
  else if (output.text !== '') print(`${forTerminal(output.text)}\n`);
  return output.exitCode ?? 0;
};

/** The entry point: runs one command and sets the exit code. */
export const main = async (args: readonly string[]): Promise<void> => {
  process.umask(UMASK);
  const opener = createOpener();
  try {
    process.exitCode = await execute(listCommands(opener), args);
  } catch (error) {
    const failure = explainFailure(error);
    if (!failure) throw error;
    if (args.includes('--json')) print(`${toTerminalJson({ error: failure.lines.join(' ') })}\n`);
    process.stderr.write(`${forTerminal(failure.lines.join('\n'))}\n`);
    process.exitCode = failure.exitCode;
  } finally {
    await opener.close();
  }
};
