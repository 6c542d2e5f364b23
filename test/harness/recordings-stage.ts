import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRecorder } from '../../src/events/index.ts';
import { createCallerLimit, createServer, type Server } from '../../src/http/index.ts';
import {
  createEventLoopTurns,
  createNewId,
  createOutbound,
  createRateLimit,
  type Engine,
  html,
  type Outbound,
  openDatabase,
  Secret,
  systemClock,
} from '../../src/platform/index.ts';
import { COMMAND_LINE, holderOf } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { createCallers } from '../../src/teams/sessions/callers.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { createTokens } from '../../src/teams/tokens/tokens.ts';
import { insertAccount, takeChange } from '../../src/telephony/accounts/account-store.ts';
import { sealApi, sealSecrets } from '../../src/telephony/accounts/open-account.ts';
import { createRecordingFiles } from '../../src/telephony/audio/recording-files.ts';
import { createFullTeams } from '../../src/telephony/budget/full-teams.ts';
import type { TelephonyContext } from '../../src/telephony/context.ts';
import type { RecordingFact } from '../../src/telephony/contract/call-fact.ts';
import type { TelephonyProvider } from '../../src/telephony/contract/provider.ts';
import type { RecordingStorage } from '../../src/telephony/contract/recording-storage.ts';
import { sealRecording } from '../../src/telephony/processing/put-recordings.ts';
import { insertRecordings } from '../../src/telephony/processing/recording-batch-store.ts';
import { twilio } from '../../src/telephony/providers/twilio/index.ts';
import { fetchRecording, handleFetchRecording } from '../../src/telephony/recordings/fetch-recording.job.ts';
import { beginRecording } from '../../src/telephony/recordings/recording.ts';
import { recordingRoutes } from '../../src/telephony/recordings/recording-routes.ts';
import { getRecording, type RecordingRow } from '../../src/telephony/recordings/recording-store.ts';
import { createVault, parseKeyRing } from '../../src/vault/index.ts';
import { createTestClock, createTestLog, SECRETS } from './app.ts';
import { createTestStore } from './databases.ts';

/** A provider whose recordings are where the payload says, with its account's credentials. */
export const STAND_IN: TelephonyProvider = {
  ...twilio,
  id: 'stand-in',
  mediaOf: ({ mediaUrl }, { api }) =>
    api['password']
      ? {
          url: mediaUrl ?? 'https://provider.test/recording.mp3',
          headers: { authorization: `Bearer ${api['password']}` },
          hosts: ['provider.test'],
          redirectHosts: ['storage.test', '.cdn.test'],
        }
      : { missing: 'a password (api.password)' },
  removalOf: ({ recordingId }, { api }) => ({
    url: `https://provider.test/recordings/${recordingId}`,
    headers: { authorization: `Bearer ${api['password']}` },
    hosts: ['provider.test'],
    redirectHosts: [],
  }),
};

export const PASSWORD = 'password-canary-71c3';

type Settings = {
  /** How many bytes of recordings a team can have. */
  recordingBytes?: number;
  outbound?: Outbound;
  storage?: RecordingStorage;
  sealed?: boolean;
  production?: boolean;
  provider?: TelephonyProvider;
};

const EVENT: RecordingFact = {
  recordingId: 'RE1',
  status: 'available',
  callKey: 'CA1',
  startedAt: null,
  durationMs: 12_340,
  channels: 1,
  source: 'DialVerb',
  errorCode: null,
  mediaUrl: null,
  mediaExpiresAt: null,
};

/** Only what recordings need: a database, two teams, a storage, a provider and an account there. */
export const createRecordingsStage = async (engine: Engine, settings: Settings = {}) => {
  const { outbound = createOutbound({ allowPrivate: true }), sealed = false, production = true } = settings;
  const { recordingBytes = 1e9 } = settings;
  const store = await createTestStore(engine);
  const { dataDirectory: data } = store.settings;
  const database = openDatabase(store.settings, () => undefined);
  const clock = createTestClock();
  const newId = createNewId(clock);
  const { log, lines } = createTestLog();
  const ring = parseKeyRing(new Secret(SECRETS.PATCHBAY_KEYS));
  const vault = createVault({ database, rings: { current: () => ring, reload: () => ring }, clock, newId });
  const basis = { database, clock, newId, log, vault };
  const recordingsFolder = join(data, 'recordings');
  const storage = settings.storage ?? createRecordingFiles({ recordingsFolder });
  const enqueued: { name: string; payload: object; delayMs: number }[] = [];
  const jobs: TelephonyContext['jobs'] = {
    async enqueue(_tx, { name }, payload, { delayMs = 0 } = {}) {
      enqueued.push({ name, payload, delayMs });
      return 'queued';
    },
  };
  const providers = [settings.provider ?? STAND_IN];
  const context = {
    ...{ ...basis, outbound, providers, storage, jobs, data, recordingsFolder, sealed, production },
    record: createRecorder({ ...basis, url: 'http://localhost:3000', onRecorded: () => undefined }).record,
    onRecorded: () => undefined,
    url: 'http://localhost:3000',
    limits: { accounts: 10, numbers: 10, payloadBytes: 1e9, payloadBytesPerDay: 1e9, recordingBytes },
    fullTeams: createFullTeams({ log }),
    transcriber: null,
    turns: createEventLoopTurns(4),
    switchboard: { refresh: async () => undefined },
    onDelivery: () => undefined,
    onUnknown: () => undefined,
  } satisfies TelephonyContext;

  const addTeam = async (name: string) =>
    database.transaction(async (tx) => {
      const team = await createTeam(basis, tx, name);
      if (!team) throw new Error('The team was not made.');
      const user = await addUser(basis, tx, team.id, { email: `member@${name}.example`, name: null, role: 'member' });
      return { id: team.id, user };
    });
  const team = await addTeam('first');
  const other = await addTeam('second');
  const headersOf = async ({ user }: typeof team) => {
    const limits = { members: 10, tokens: 10, sessions: 10, auditEntries: 1_000 };
    const bindAllowed = () => Promise.reject(new Error('No token is restricted here.'));
    const tokens = createTokens({ ...basis, limits, forgetCallers: () => undefined, bindAllowed });
    const { token } = await tokens.create(holderOf(user), COMMAND_LINE, { name: 'test' });
    return { authorization: `Bearer ${token}` };
  };

  const addAccount = async (
    api: Record<string, string> = { password: PASSWORD },
    { removesArchived = false, teamId = team.id } = {},
  ): Promise<string> => {
    const id = newId();
    const row = {
      id,
      teamId,
      provider: providers[0]?.id ?? '',
      externalId: id,
      secrets: await sealSecrets(vault, { id, teamId }, []),
      api: await sealApi(vault, { id, teamId }, api),
      mode: 'enforce' as const,
      observeUntil: null,
      removesArchived: removesArchived ? 1 : 0,
      simulated: 0,
      createdAt: clock.now(),
      removedAt: null,
    };
    await database.transaction(async (tx) => insertAccount(tx, row, await takeChange(tx)));
    return id;
  };

  const addRecording = async (accountId: string, told: Partial<RecordingFact> = {}, teamId = team.id) => {
    const id = newId();
    const row = { teamId, accountId, provider: providers[0]?.id ?? '' };
    const event = await sealRecording(basis.vault, row, { ...EVENT, recordingId: `RE-${id}`, ...told });
    const externalId = event.recordingId;
    await insertRecordings(database, [{ id, ...row, externalId, createdAt: clock.now(), ...beginRecording(event) }]);
    return id;
  };

  const rowOf = async (id: string): Promise<RecordingRow> => {
    const row = await getRecording(database, team.id, id);
    if (!row) throw new Error('There is no such recording.');
    return row;
  };

  let server: Server | undefined;

  return {
    ...context,
    team,
    other,
    lines,
    enqueued,
    addAccount,
    addRecording,
    rowOf,
    headersOf,
    lastAttempt: fetchRecording.attempts,
    /** One attempt of the job. Returns what it throws. */
    async fetch(recordingId: string, attempt = 1, signal = new AbortController().signal): Promise<Error | null> {
      const handle = handleFetchRecording(context);
      return handle({ teamId: team.id, recordingId }, { attempt, signal }).then(
        () => null,
        (error) => error,
      );
    },
    /** What is in progress, or was left behind. */
    incoming(): string[] {
      try {
        return readdirSync(join(data, 'recordings', 'incoming'));
      } catch {
        return [];
      }
    },
    async serve(): Promise<Server> {
      const callers = createCallers(
        { ...basis, adminToken: null },
        null,
        () => Promise.reject(new Error('There is no operator.')),
        async () => null,
      );
      server = await createServer({
        log,
        url: 'http://localhost:3000',
        returnOrigins: [],
        trustedProxies: [],
        maxConnections: 1_000,
        routes: [recordingRoutes(context)],
        styles: [],
        navigation: html``,
        describeRequests: () => ({ webhooks: {}, schemas: {}, parameters: {} }),
        frameOf: async () => ({}),
        isOpen: () => true,
        onResponse: () => undefined,
        callers,
        sessionCookie: 'session',
        doors: { cron: [], debug: [], metrics: [], operator: [] },
        callerLimit: createCallerLimit({ clock: systemClock, perMinute: 1_000_000 }),
        limit: createRateLimit({ clock: systemClock, perMinute: 100_000 }),
        failures: createRateLimit({ clock: systemClock, perMinute: 100_000 }),
        operatorLimit: createRateLimit({ clock: systemClock, perMinute: 100_000 }),
        operatorTeamLimit: createRateLimit({ clock: systemClock, perMinute: 100_000 }),
      });
      return server;
    },
    async close(): Promise<void> {
      await server?.close();
      await database.close();
      await store.remove();
    },
  };
};

export type RecordingsStage = Awaited<ReturnType<typeof createRecordingsStage>>;
