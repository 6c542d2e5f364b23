import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Routes, Server } from '../../src/http/index.ts';
import type { Overrides } from '../../src/lay-ground.ts';
import type { Engine, Log, Transaction } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf, type User } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { createTestStore, type TestStore } from './databases.ts';

export const SECRETS = {
  PATCHBAY_KEYS: 'k1:qLTtYJGy1gGzW3hVZ5O1Yw8dFfJ7i4b0cQmR2xNn9kE=',
  PATCHBAY_ADMIN_TOKEN: 'admin-token-of-the-tests-0123456789',
  CRON_SECRET: 'cron-secret-of-the-tests-0123456789',
  DEBUG_TOKEN: 'debug-token-of-the-tests-0123456789',
  METRICS_TOKEN: 'metrics-token-of-the-tests-0123456789',
  PATCHBAY_OPERATOR_TOKEN: 'operator-token-of-the-tests-0123456789',
} as const;

/** A log that tests can read. */
export const createTestLog = () => {
  const lines: { level: string; message: string; fields: object }[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') };
  return { log, lines };
};

/** A clock that moves only when told to. */
export const createTestClock = (start = Date.parse('2026-11-15T12:00:00Z')) => {
  let now = start;
  return {
    now: () => now,
    advance(ms: number): void {
      now += ms;
    },
  };
};

/** Longer than anyone would wait: on a busy machine, tests may have to. */
const PATIENT_MS = 120_000;

export type Person = { user: User; token: string; headers: { authorization: string } };

/** The whole application on its own database, without a port: requests are injected. */
export const createTestApp = async (
  engine: Engine,
  {
    env = {},
    store: given,
    routesOf,
    ...overrides
  }: Overrides & {
    env?: Record<string, string>;
    store?: TestStore;
    /** Further routes, which need the application. */
    routesOf?: (app: App) => Routes;
  } = {},
) => {
  const store = given ?? (await createTestStore(engine));
  const config = readConfig({
    ...SECRETS,
    PATCHBAY_DATA: store.settings.dataDirectory,
    DATABASE_URL: store.settings.url?.reveal() ?? '',
    LOG_LEVEL: 'silent',
    // Tests are faster than any caller.
    PATCHBAY_RATE_LIMIT: '1000000',
    ...env,
  });
  const { log, lines } = createTestLog();
  const routes: Routes[] = routesOf ? [(server) => routesOf(app)(server)] : [];
  const app: App = buildApp(config, { log, threads: false, requestMs: PATIENT_MS, routes, ...overrides });
  await ensureFirstTeam(app, config.adminEmail);
  const server: Server = await app.createServer();

  const signUp = async (tx: Transaction, teamId: string, email: string, role: 'admin' | 'member') =>
    addUser(app, tx, teamId, { email, name: null, role });

  const giveToken = async (user: User): Promise<Person> => {
    const { token } = await app.teams.tokens.create(holderOf(user), COMMAND_LINE, { name: 'test' });
    return { user, token, headers: { authorization: `Bearer ${token}` } };
  };

  return {
    app,
    server,
    lines,
    config,
    /** A team with an admin and a member, each with an access token. */
    async createTeam(name: string) {
      const { team, admin, member } = await app.database.transaction(async (tx) => {
        const made = await createTeam(app, tx, name);
        if (!made) throw new Error('The team was not made.');
        return {
          team: made,
          admin: await signUp(tx, made.id, `admin@${name}.example`, 'admin'),
          member: await signUp(tx, made.id, `member@${name}.example`, 'member'),
        };
      });
      return { team, admin: await giveToken(admin), member: await giveToken(member) };
    },
    async close(): Promise<void> {
      await server.close();
      await app.close();
      await store.remove();
    },
  };
};

export type TestApp = Awaited<ReturnType<typeof createTestApp>>;
