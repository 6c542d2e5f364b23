import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { printRequests } from '../../src/integrations/request-log/request-group.ts';
import { groupRow, REQUEST_GROUPS } from '../../src/integrations/request-log/request-group-store.ts';
import { SEALED_REQUESTS } from '../../src/integrations/request-log/request-log.ts';
import { type Database, firstIdAt, migrateDatabase, Secret } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import type { Tools } from '../benchmark.ts';
import type { EngineChoice } from '../both-engines.ts';
import { makeConnection } from '../integrations/make-connection.ts';
import { makePlace } from '../pages/page-store.ts';
import { summarize } from '../summarize.ts';
import { OF_A_TEAM } from './request-size.ts';

const NOW = Date.parse('2026-11-13T15:00:00Z');
const DAY_MS = 24 * 3_600_000;
/** Requests of a team are spread evenly over the time that they are kept. */
const APART_MS = (7 * DAY_MS) / (OF_A_TEAM + 1);
const ROWS_AT_ONCE = 1_000;
/** One request in this many failed. */
const FAILS = 100;
/** How many requests were made with the rare token, and with the rare connection. */
const RARE = 3;

export const RARE_TOKEN = firstIdAt(1);
export const RARE_CONNECTION = 'rarely-used';

/** The time of a team's request by its age: 0 is the newest. */
export const timeOf = (age: number): number => Math.floor(NOW - (age + 1) * APART_MS);

type Shown = { teamId: string; userId: string; connectionId: string };

/** Makes a group of one request, which takes most room. */
const makeRow = async ({ vault }: App, { teamId, userId, connectionId }: Shown, age: number) => {
  const at = timeOf(age);
  const id = firstIdAt(at);
  const isRare = age >= OF_A_TEAM - RARE && age < OF_A_TEAM;
  const failures = age % FAILS === 0 ? 1 : 0;
  const status = failures > 0 ? 500 : 200;
  const what = { method: 'GET', host: null, path: `/things/${age}`, status, from: 'provider', retried: false } as const;
  const request = { ...what, id, at, failed: failures > 0, ms: 12, requestBytes: 0, responseBytes: 300 };
  const [place] = SEALED_REQUESTS.placesOf(id);
  if (!place) throw new Error('Requests have no place.');
  return groupRow({
    ...{ teamId, userId, connectionId, id, oldestId: id, provider: 'acme', kind: 'proxy', via: 'token' },
    ...{ connection: isRare ? RARE_CONNECTION : 'default', accountId: '1', accountLabel: 'ann@example.com' },
    ...{ tokenId: isRare ? RARE_TOKEN : userId, tokenName: 'product', caller: isRare ? RARE_TOKEN : userId },
    ...{ requests: await vault.seal(teamId, place, new Secret(printRequests([request]))), number: 1, failures },
  });
};

/** Adds requests of the team that is measured, from one age up to another. */
export const addRequests = async (app: App, shown: Shown, from: number, until: number): Promise<void> => {
  for (let first = from; first < until; first += ROWS_AT_ONCE) {
    const ages = Array.from({ length: Math.min(ROWS_AT_ONCE, until - first) }, (_, index) => first + index);
    await app.database.insertRows(REQUEST_GROUPS, await Promise.all(ages.map((age) => makeRow(app, shown, age))));
  }
};

const COPIED = REQUEST_GROUPS.columns;

/** Gives another team the same requests, which it couldn't decrypt. Its IDs end with its number. */
const copyRequests = (database: Database, from: string, to: string, number: number): Promise<number> => {
  const end = String(number).padStart(12, '0');
  const values: Readonly<Record<string, string>> = {
    id: `substr(id, 1, 24) || '${end}'`,
    oldest_id: `substr(oldest_id, 1, 24) || '${end}'`,
    team_id: '$2',
  };
  const columns = Object.keys(COPIED);
  return database.run(
    `insert into request_groups (${columns.join(', ')})
      select ${columns.map((column) => values[column] ?? column).join(', ')} from request_groups where team_id = $1`,
    [from, to],
  );
};

/** Opens a service with as many full teams as make up this many requests. The first of them is measured. */
export const openRequestStore = async (tools: Tools, engine: EngineChoice, requests: number) => {
  const begun = performance.now();
  const settings = await makePlace(tools, engine, `requests_${requests}`);
  const app = buildApp(readConfig(settings), { clock: { now: () => NOW } });
  tools.cleanUp.defer(() => app.close());
  await migrateDatabase(app.database, app.clock);
  const first = await ensureFirstTeam(app, app.config.adminEmail);
  if (!first) throw new Error('There is a team already.');
  const holder = holderOf(first.admin);
  const connection = await makeConnection(app, holder, 'github');
  await insertConnection(app.database, connection);
  const shown = { teamId: first.team.id, userId: first.admin.id, connectionId: connection.id };
  await addRequests(app, shown, 0, OF_A_TEAM);
  for (let number = 1; number < requests / OF_A_TEAM; number++) {
    const team = await app.database.transaction((tx) => createTeam(app, tx, `team ${number}`));
    if (!team) throw new Error('A team was not made.');
    await copyRequests(app.database, shown.teamId, team.id, number);
  }
  if (engine.databaseUrl !== null) await app.database.transaction((tx) => tx.script('analyze'));
  const { token } = await app.teams.tokens.create(holder, COMMAND_LINE, { name: 'benchmark' });
  const http = await app.createServer();
  tools.note(`${requests.toLocaleString('en')} requests, made in ${Math.round((performance.now() - begun) / 1_000)} s`);

  const ask = async (path: string): Promise<{ requests: unknown[] }> => {
    const { statusCode, body } = await http.inject({ url: path, headers: { authorization: `Bearer ${token}` } });
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${body}`);
    return JSON.parse(body);
  };
  return {
    app,
    shown,
    count: async (path: string): Promise<number> => (await ask(path)).requests.length,
    /** How long a request takes, in milliseconds: the median of several. */
    async measure(path: string, times: number): Promise<number> {
      const taken: number[] = [];
      for (let count = 0; count < times; count++) {
        const started = performance.now();
        await ask(path);
        taken.push(performance.now() - started);
      }
      return summarize(taken).median;
    },
  };
};

export type RequestStore = Awaited<ReturnType<typeof openRequestStore>>;
