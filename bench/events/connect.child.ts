// The whole service, with one provider to connect. The argument says where its files, its database and the provider
// are.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';

type Argument = { directory: string; databaseUrl: string | null; provider: string };
const { directory, databaseUrl, provider } = JSON.parse(process.argv[2] ?? '') as Argument;

const providersFile = join(directory, 'providers.json');
const record = {
  id: 'vendor',
  name: 'Vendor',
  scopes: ['read'],
  authorize: { url: `${provider}/authorize` },
  token: { url: `${provider}/token` },
  identity: { url: `${provider}/user`, id: 'id', label: 'login' },
};
writeFileSync(providersFile, JSON.stringify([record]));

const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PATCHBAY_PROVIDERS: providersFile,
  PATCHBAY_RATE_LIMIT: '10000000',
  DATABASE_URL: databaseUrl ?? '',
  OAUTH_VENDOR_CLIENT_ID: 'client',
  OAUTH_VENDOR_CLIENT_SECRET: 'secret',
  LOG_LEVEL: 'silent',
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
const first = await ensureFirstTeam(app, config.adminEmail);
if (!first) throw new Error('The database was not empty.');
const { token } = await app.teams.tokens.create(holderOf(first.admin), COMMAND_LINE, { name: 'bench' });
const server = await app.createServer();
app.jobs.start();
app.events.sending.start();
app.notices.alerts.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });

reportToParent(
  { url: `${address}/api/integrations/vendor`, headers: { authorization: `Bearer ${token}` } },
  { settled: () => app.events.sending.sendAll() },
);
