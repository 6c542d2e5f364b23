// The whole service with many teams that have connected accounts of several providers, which are one server. The argument
// says where its files, its database, and the providers are. A second process uses what the first one has stored.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { ensureFirstTeam } from '../../src/teams/index.ts';
import { reportToParent } from '../child-server.ts';
import { addBystander, fillTeams, PROVIDERS } from './fill-connections.ts';

export type Start = {
  directory: string;
  databaseUrl: string | null;
  api: string;
  keys: string;
  operatorToken: string;
  teams: number;
  connections: number;
};
/** What the service has in memory once everything else is collected, and what the operating system counts, in MB. */
export type Memory = { used: number; resident: number };

const { directory, databaseUrl, api, keys, operatorToken, teams, connections }: Start = JSON.parse(
  process.argv[2] ?? '',
);
const UNLIMITED = '10000000';

const file = join(directory, 'providers.json');
const records = PROVIDERS.map((id) => ({
  ...{ id, name: id, scopes: [], refresh: { rotates: 'never' } },
  authorize: { url: `${api}/authorize` },
  token: { url: `${api}/token` },
  revoke: { url: `${api}/revoke`, kills: 'grant' },
  api: { url: `${api}/v1` },
}));
writeFileSync(file, JSON.stringify(records));
const clients = PROVIDERS.flatMap((id) => [
  [`OAUTH_${id.toUpperCase()}_CLIENT_ID`, `client-of-${id}`],
  [`OAUTH_${id.toUpperCase()}_CLIENT_SECRET`, `secret-of-${id}`],
]);
const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: keys,
  PATCHBAY_PROVIDERS: file,
  PATCHBAY_RATE_LIMIT: UNLIMITED,
  PATCHBAY_OPERATOR_RATE_LIMIT: UNLIMITED,
  PATCHBAY_OPERATOR_TOKEN: operatorToken,
  ...Object.fromEntries(clients),
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
const server = await app.createServer();
const url = await server.listen({ host: '127.0.0.1', port: 0 });

const countAll = async (table: string): Promise<number> =>
  Number((await app.database.get<{ n: number }>(`select count(*) as n from ${table}`))?.n);

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

reportToParent(
  { url, headers: {} },
  {
    /** Returns the access token of the bystander. */
    async fill(): Promise<string> {
      await ensureFirstTeam(app, config.adminEmail);
      await fillTeams(app, teams, connections);
      return addBystander(app);
    },
    start: async () => app.jobs.start(),
    ledger: () => countAll('contained_connections'),
    taken: () => countAll("connections where reason = 'contained'"),
    underWay: () => countAll("containments where phase <> 'done'"),
    async memory(): Promise<Memory> {
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      return { used: (heapUsed + external) / 1e6, resident: rss / 1e6 };
    },
  },
);
