// The whole service with a team that is connected to a provider. The argument says where its files and the provider's
// API are, whether the token is restricted, and how many teams with agents to make.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam, holderOf } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import type { AskedRights } from '../../src/teams/tokens/token-rights.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';
import { makeConnection } from '../integrations/make-connection.ts';

type Start = { directory: string; api: string; restricted: boolean; rateLimit?: string; teams?: number };
const { directory, api, restricted, rateLimit = '10000000', teams = 0 } = JSON.parse(process.argv[2] ?? '') as Start;

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
  PATCHBAY_RATE_LIMIT: rateLimit,
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
const AGENTS_PER_TEAM = 20;

const addTeam = (name: string) =>
  app.database.transaction(async (tx) => {
    const team = await createTeam(app, tx, name);
    if (!team) throw new Error('There is no room for another team.');
    return holderOf(await addUser(app, tx, team.id, { email: `admin@${name}.example`, name: null, role: 'admin' }));
  });

/** Tokens for agents of several teams, which are connected, and one of another team, which has none. */
const makeAgents = async () => {
  const tokens: string[] = [];
  for (let count = 0; count < teams; count++) {
    const admin = await addTeam(`team-${count}`);
    await insertConnection(app.database, await makeConnection(app, admin, 'acme'));
    for (let agent = 0; agent < AGENTS_PER_TEAM; agent++) {
      const asked = { name: `agent ${agent}`, rights: RIGHTS };
      tokens.push((await app.teams.tokens.create(admin, COMMAND_LINE, asked)).token);
    }
  }
  const other = await app.teams.tokens.create(await addTeam('other'), COMMAND_LINE, { name: 'bystander' });
  return { tokens, bystander: other.token };
};
const server = await app.createServer();
app.jobs.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });
reportToParent(
  { url: `${address}/api/integrations/acme/proxy/small`, headers: { authorization: `Bearer ${token}` } },
  { memory: async () => process.memoryUsage.rss() / 1e6, agents: makeAgents },
);
