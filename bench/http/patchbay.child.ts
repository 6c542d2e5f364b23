// The whole service as `serve` builds it, plus one trivial route.
import { Type } from 'typebox';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Routes } from '../../src/http/index.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';

const PATH = '/api/trivial';

const trivialRoute: Routes = (server) => {
  server.get(
    PATH,
    { config: { access: 'member' }, schema: { response: { 200: Type.Object({ hello: Type.String() }) } } },
    () => ({ hello: 'world' }),
  );
};

const config = readConfig({
  PATCHBAY_DATA: process.argv[2],
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PATCHBAY_RATE_LIMIT: '10000000',
});
const app = buildApp(config, { routes: [trivialRoute] });
await migrateDatabase(app.database, app.clock);
const first = await ensureFirstTeam(app, config.adminEmail);
if (!first) throw new Error('The database was not empty.');
const { token } = await app.teams.tokens.create(holderOf(first.admin), COMMAND_LINE, { name: 'bench' });
const server = await app.createServer();
app.jobs.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });
reportToParent({ url: `${address}${PATH}`, headers: { authorization: `Bearer ${token}` } });
