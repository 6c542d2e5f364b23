// The whole service with teams that have connected an account of a provider. The argument says where its files, its
// database and the receiver of events are.
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam } from '../../src/teams/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { plainConnection } from '../../test/harness/plain-connection.ts';
import { reportToParent } from '../child-server.ts';
import { WEBHOOK_SECRET } from './signed-webhooks.ts';

const { directory, databaseUrl, receiver, accounts } = JSON.parse(process.argv[2] ?? '') as {
  directory: string;
  databaseUrl: string | null;
  receiver: string;
  accounts: number;
};

const CLIENT_ID = 'client-of-the-benchmark';
const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  OAUTH_GITHUB_CLIENT_ID: CLIENT_ID,
  OAUTH_GITHUB_CLIENT_SECRET: 'not-used',
  OAUTH_GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET,
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
const first = await ensureFirstTeam(app, config.adminEmail);
if (!first) throw new Error('The database was not empty.');
const { teamId, id: userId } = first.admin;
for (let account = 0; account < accounts; account++)
  await insertConnection(
    app.database,
    plainConnection(
      { teamId, connectedBy: userId },
      {
        ...{ id: `connection-${account}`, provider: 'github', name: `account-${account}` },
        ...{ accountId: String(account), clientId: CLIENT_ID, clientOf: 'operator' },
      },
    ),
  );
await app.events.endpoints.create({ teamId, forOperator: false }, COMMAND_LINE, {
  url: `${receiver}/events`,
  types: ['provider.event:github/timed'],
  description: '',
});
const server = await app.createServer();
app.events.sending.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });

reportToParent(
  { url: `${address}/api/webhooks/integrations/github`, headers: {} },
  {
    async recorded() {
      const row = await app.database.get<{ n: number }>(
        "select count(*) as n from events where type = 'provider.event'",
      );
      return Number(row?.n);
    },
  },
);
