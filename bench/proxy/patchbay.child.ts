// The whole service with a team that is connected to a provider. The argument says where its files and the provider's
// API are, and whether the token is restricted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import type { AskedRights } from '../../src/teams/tokens/token-rights.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';
import { makeConnection } from '../integrations/make-connection.ts';

type Start = { directory: string; api: string; restricted: boolean };
const { directory, api, restricted } = JSON.parse(process.argv[2] ?? '') as Start;

/** With a path that matches only after others did not. */
const RIGHTS: AskedRights = {
  can: ['status', 'calls'],
  allow: [{ provider: 'acme', connection: 'default', paths: ['/repos/*/*/issues', '/user', '/small'] }],
};

const file = join(directory, 'providers.json');
const record = {
  ...{ id: 'acme', name: 'Acme', scopes: [] },
  authorize: { url: `${api}/authorize` },
  token: { url: `${api}/token` },
  refresh: { rotates: 'never' },
  api: { url: `${api}/v1` },
};
writeFileSync(file, JSON.stringify([record]));

const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PATCHBAY_PROVIDERS: file,
  PATCHBAY_RATE_LIMIT: '10000000',
  OAUTH_ACME_CLIENT_ID: 'client-of-acme',
  OAUTH_ACME_CLIENT_SECRET: 'secret-of-acme',
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
const first = await ensureFirstTeam(app, config.adminEmail);
if (!first) throw new Error('The database was not empty.');
const holder = holderOf(first.admin);
await insertConnection(app.database, await makeConnection(app, holder, 'acme'));
const { token } = await app.teams.tokens.create(holder, COMMAND_LINE, {
  name: 'bench',
  ...(restricted ? { rights: RIGHTS } : {}),
});
const server = await app.createServer();
app.jobs.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });
reportToParent(
  { url: `${address}/api/integrations/acme/proxy/small`, headers: { authorization: `Bearer ${token}` } },
  { memory: async () => process.memoryUsage.rss() / 1e6 },
);
