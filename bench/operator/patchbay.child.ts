// The whole service with an operator token. The argument says where its files are. The team "customer" has an access
// token of its own.
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';

const { directory, operatorToken } = JSON.parse(process.argv[2] ?? '') as { directory: string; operatorToken: string };
const UNLIMITED = '10000000';

const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PATCHBAY_OPERATOR_TOKEN: operatorToken,
  PATCHBAY_RATE_LIMIT: UNLIMITED,
  PATCHBAY_OPERATOR_RATE_LIMIT: `${UNLIMITED}0`,
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
await ensureFirstTeam(app, config.adminEmail);
const { team } = await app.teams.customers.put(COMMAND_LINE, 'customer', { name: 'The customer' });
const admin = await app.database.transaction((tx) =>
  addUser(app, tx, team.id, { email: 'admin@customer.example', name: null, role: 'admin' }),
);
const { token } = await app.teams.tokens.create(holderOf(admin), COMMAND_LINE, { name: 'bench' });
const server = await app.createServer();
app.jobs.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });
reportToParent({ url: `${address}/api/team`, headers: { authorization: `Bearer ${token}` } });
