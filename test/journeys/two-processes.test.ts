import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { SECRETS } from '../harness/app.ts';
import { createDatabaseAt, databaseUrl, TEMPLATE } from '../harness/databases.ts';
import { slow } from '../harness/oauth-server/faults.ts';
import { type OauthServer, SERVICE_URL, startOauthServer } from '../harness/oauth-server.ts';
import { allRecords, providerSettings, writeProviderFile } from '../harness/provider-file.ts';
import { makeDataDirectory, type Serving, startServe } from '../harness/serve-process.ts';
import { askOver, createTeamMember, JSON_ONLY, type TeamMember } from '../harness/team-member.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HAND_OUTS = 200;
const ADMIN = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

describe('two processes on one PostgreSQL', () => {
  const undo: (() => unknown)[] = [];
  let oauth: OauthServer;
  let processes: Serving[];
  let one: TeamMember;
  let two: TeamMember;
  let url: string;
  let made = 0;
  const newAccount = () => `account-${++made}`;

  before(async () => {
    oauth = await startOauthServer();
    undo.push(() => oauth.stop());
    const file = writeProviderFile(allRecords(oauth.issuer));
    undo.push(file.remove);
    const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
    const name = `two_processes_${randomBytes(6).toString('hex')}`;
    await createDatabaseAt(server, name, TEMPLATE);
    url = databaseUrl(server, name);
    processes = await Promise.all(
      [1, 2].map(async () => {
        const data = makeDataDirectory();
        undo.push(data.remove);
        const serving = await startServe({
          ...SECRETS,
          ...providerSettings(file.path),
          DATABASE_URL: url,
          PATCHBAY_URL: SERVICE_URL,
          PATCHBAY_DATA: data.path,
        });
        undo.push(() => serving.end());
        return serving;
      }),
    );
    await Promise.all(processes.map((serving) => serving.ready()));
    const [first, second] = processes.map(({ url }) => createTeamMember(askOver(url), ADMIN, oauth));
    assert.ok(first && second);
    [one, two] = [first, second];
  });

  after(async () => {
    for (const step of undo.reverse()) await step();
  });

  /** As if the access tokens of all connections had just expired. */
  const expireTokens = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('update connections set expires_at = $1, refresh_due_at = $1', [Date.now()]);
    await client.end();
  };

  const askTwo: ReturnType<typeof askOver> = (...request) => askOver(processes[1]?.url ?? '')(...request);

  for (const provider of ['acme', 'acme-full'])
    test(`${provider}: starts in one, returns to the other, and both know within a second`, async () => {
      const account = newAccount();
      assert.equal((await one.status(provider)).status, 'disconnected');
      const { path, cookie } = await one.goToProvider(provider, account);
      const arrived = await askTwo('GET', path, { ...JSON_ONLY, cookie });
      assert.equal(arrived.status, 200, arrived.body);
      assert.equal((await two.status(provider)).status, 'connected', 'At once where it was written.');
      await waitUntil('the other knows', async () => (await one.status(provider)).status === 'connected', 1_000);
      assert.equal(await one.token(provider), await two.token(provider));

      assert.equal(await one.disconnect(provider), 'revoked');
      assert.equal((await one.status(provider)).status, 'disconnected');
      await waitUntil('the other knows', async () => (await two.status(provider)).status === 'disconnected', 1_000);
    });

  test('an attempt parked in one is completed in the other', async () => {
    const account = newAccount();
    const { path } = await one.goToProvider('acme', account);
    const parked = await askTwo('GET', path, JSON_ONLY);
    assert.equal(parked.status, 202, parked.body);
    const { attempt } = JSON.parse(parked.body);
    const [first] = processes;
    const completed = await askOver(first?.url ?? '')('POST', '/api/integrations/acme/complete', ADMIN, { attempt });
    assert.equal(JSON.parse(completed.body).outcome, 'connected', completed.body);
    await two.disconnect('acme');
  });

  test('fifty callbacks of one flow across both make one token request and have one outcome', async () => {
    const { path, cookie } = await one.goToProvider('acme', newAccount());
    const exchanges = oauth.count('code');
    oauth.fail('code', slow(300));
    const arrived = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        askOver(processes[index % 2]?.url ?? '')('GET', path, { ...JSON_ONLY, cookie }),
      ),
    );
    assert.deepEqual([...new Set(arrived.map(({ status, body }) => `${status} ${body}`))].length, 1);
    assert.equal(arrived[0]?.status, 200, arrived[0]?.body);
    assert.equal(oauth.count('code'), exchanges + 1);
    await one.disconnect('acme');
  });

  for (const provider of ['acme', 'acme-full'])
    test(`${provider}: ${HAND_OUTS} hand-outs at expiry across both make one refresh, and all get its token`, async () => {
      const account = newAccount();
      await one.connect(provider, account);
      const connected = oauth.issued.at(-1)?.accessToken ?? '';
      const refreshes = oauth.count('refresh');
      oauth.fail('refresh', slow(300));
      await expireTokens();
      const tokens = await Promise.all(
        Array.from({ length: HAND_OUTS }, (_, index) => (index % 2 === 0 ? one : two).token(provider)),
      );
      assert.equal(oauth.count('refresh'), refreshes + 1);
      const newest = oauth.issued.at(-1)?.accessToken ?? '';
      assert.deepEqual([...new Set(tokens)], [newest]);
      assert.notEqual(newest, connected);
      assert.equal(await oauth.whoIs(newest), account);
      await waitUntil('both show it', async () => {
        const shown = [await one.status(provider), await two.status(provider)];
        return shown.every(({ status, lastRefreshedAt }) => status === 'connected' && lastRefreshedAt !== null);
      });
      await one.disconnect(provider);
    });
});
