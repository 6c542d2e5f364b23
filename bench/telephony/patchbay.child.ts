// The whole service with one number that is answered. The argument says where its files and its database are.
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { migrateDatabase } from '../../src/platform/index.ts';
import { COMMAND_LINE, ensureFirstTeam } from '../../src/teams/index.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { reportToParent } from '../child-server.ts';
import { ACCOUNT_ID, AUTH_TOKEN } from './set-up.ts';

const { directory, databaseUrl } = JSON.parse(process.argv[2] ?? '') as {
  directory: string;
  databaseUrl: string | null;
};

const config = readConfig({
  PATCHBAY_DATA: directory,
  PATCHBAY_KEYS: extendKeyRing(undefined),
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
});
const app = buildApp(config);
await migrateDatabase(app.database, app.clock);
const first = await ensureFirstTeam(app, config.adminEmail);
if (!first) throw new Error('The database was not empty.');
const { teamId } = first.admin;
const { accounts, numbers } = app.telephony;
const wish = { provider: 'twilio', accountId: ACCOUNT_ID, secrets: [AUTH_TOKEN] };
const account = await accounts.create(teamId, COMMAND_LINE, wish);
await numbers.create(teamId, COMMAND_LINE, {
  number: '+15551239999',
  account: account.id,
  answer: { greeting: 'Thank you for calling.', forwardTo: ['+15551230077'] },
});
const server = await app.createServer();
app.events.sending.start();
app.notices.alerts.start();
const address = await server.listen({ host: '127.0.0.1', port: 0 });

reportToParent(
  {
    url: `${address}/api/webhooks/telephony/voice?account=${account.id}`,
    headers: {},
    accountId: ACCOUNT_ID,
    authToken: AUTH_TOKEN,
    publicUrl: config.url,
  },
  {
    /**
     * Waits until this process has assembled the deliveries that it holds, and counts all stored deliveries. A job
     * assembles the others.
     */
    async stored() {
      await app.telephony.settle();
      const row = await app.database.get<{ n: number }>('select count(*) as n from deliveries');
      return Number(row?.n);
    },
  },
);
