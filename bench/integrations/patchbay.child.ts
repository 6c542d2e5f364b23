// The whole service with a team that has twenty connections. The argument says where its files are and which route to
// call.
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { type Ready, reportToParent } from '../child-server.ts';
import { makeConnection } from './make-connection.ts';

const PROVIDERS =
  'google github gitlab slack notion linear zoom dropbox box asana stripe xero calendly airtable figma discord reddit spotify twitch klaviyo'.split(
    ' ',
  );

const { directory, route } = JSON.parse(process.argv[2] ?? '') as {
  directory: string;
  route: 'connect' | 'status' | 'token';
};

const clients = Object.fromEntries(
  PROVIDERS.flatMap((id) => [
    [`OAUTH_${id.toUpperCase()}_CLIENT_ID`, `client-of-${id}`],
    [`OAUTH_${id.toUpperCase()}_CLIENT_SECRET`, `secret-of-${id}`],
  ]),
);
const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PATCHBAY_RATE_LIMIT: '10000000',
  ...clients,
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
const first = await ensureFirstTeam(app, config.adminEmail);
if (!first) throw new Error('The database was not empty.');
const holder = holderOf(first.admin);
for (const provider of PROVIDERS) await insertConnection(app.database, await makeConnection(app, holder, provider));
const { token } = await app.teams.tokens.create(holder, COMMAND_LINE, { name: 'bench' });
const server = await app.createServer();
app.jobs.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });

const headers = { authorization: `Bearer ${token}` };
const routes: Record<typeof route, Ready> = {
  connect: { url: `${address}/api/integrations/google/connect?returnTo=%2Fhome`, headers },
  status: { url: `${address}/api/integrations/status`, headers },
  token: { url: `${address}/api/integrations/google/token`, headers, method: 'POST' },
};
reportToParent(routes[route]);
