import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findFreePort } from '../harness/free-port.ts';
import { startPostgresqlServer } from '../harness/postgresql-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type Example, eventsAddressOf, startExample } from './example.ts';
import { findViolations } from './find-violations.ts';
import { type Product, startProduct } from './product.ts';
import { type BrowserStage, openBrowserStage } from './stage.ts';

const OPERATOR_TOKEN = 'operator-token-of-the-browser-tests-0123456789';
const KEYS = 'k1:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=';

/** At the same time, because both wait for a while until a team that is being erased is quiet. */
describe('a customer of a product', { concurrency: true }, () => {
  for (const engine of ['sqlite', 'postgresql'] as const)
    describe(`on ${engine}`, { concurrency: false }, () => {
      let stage: BrowserStage;
      let product: Product;
      let example: Example | undefined;
      let stopDatabase: () => unknown = () => undefined;

      before(async () => {
        product = await startProduct();
        const port = await findFreePort();
        const origins = `${product.origin},http://127.0.0.1:${port}`;
        const env = { PATCHBAY_OPERATOR_TOKEN: OPERATOR_TOKEN, PATCHBAY_RETURN_ORIGINS: origins };
        const server = engine === 'sqlite' ? null : await startPostgresqlServer({ fsync: false });
        stopDatabase = server?.remove ?? stopDatabase;
        stage = await openBrowserStage(server ? { ...env, DATABASE_URL: server.url, PATCHBAY_KEYS: KEYS } : env);
        const { secret } = await ask('POST', 'operator/events/endpoints', { url: eventsAddressOf(port) });
        example = await startExample(port, { url: stage.url, token: OPERATOR_TOKEN, eventSecret: secret });
      });

      after(async () => {
        await example?.stop();
        await stage.close();
        await product.stop();
        await stopDatabase();
      });

      const ask = async (method: string, path: string, body?: object) => {
        const answer = await fetch(`${stage.url}/api/${path}`, {
          method,
          headers: {
            authorization: `Bearer ${OPERATOR_TOKEN}`,
            ...(path.startsWith('operator/') ? {} : { 'patchbay-team': 'customer-42' }),
            ...(body ? { 'content-type': 'application/json' } : {}),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        const text = await answer.text();
        assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
        return JSON.parse(text);
      };

      const listConnected = async (): Promise<string[][]> =>
        (await ask('GET', 'integrations/status')).integrations
          .filter(({ provider, status }: Record<string, string>) => provider === 'sandbox' && status !== 'disconnected')
          .map(({ connection, account }: { connection: string; account: { label: string } }) => [
            connection,
            account.label,
          ]);

      test('connects two accounts on the product’s own page, and disconnects one', async () => {
        await ask('PUT', 'operator/teams/customer-42', { name: 'Acme' });
        const user = { key: 'user-7', name: 'Ann Example' };
        const { token } = await ask('POST', 'operator/teams/customer-42/sessions', { user, providers: ['sandbox'] });
        product.signIn(stage.url, token);
        const context = await stage.newContext();
        const page = await context.newPage();

        const connect = async (connection: string, account: RegExp): Promise<Record<string, unknown>> => {
          await page.goto(product.origin);
          await page.getByLabel('Connection').fill(connection);
          await page.getByRole('button', { name: 'Connect the sandbox' }).click();
          await page.getByLabel(account).check();
          await page.getByRole('button', { name: 'Allow' }).click();
          await page.waitForURL((url) => url.origin === product.origin && url.search.includes('attempt='));
          const outcome = page.locator('#outcome:not(:empty)');
          return JSON.parse(await outcome.innerText());
        };

        const first = await connect('default', /First account/);
        assert.equal(first['outcome'], 'connected', JSON.stringify(first));
        const second = await connect('second', /Second account/);
        assert.equal(second['outcome'], 'connected', JSON.stringify(second));
        const connected = await listConnected();
        assert.deepEqual(
          connected.map(([connection]) => connection),
          ['default', 'second'],
        );
        assert.notEqual(connected[0]?.[1], connected[1]?.[1]);
        const { connections } = await ask('GET', 'operator/teams/customer-42');
        assert.equal(connections.connected, 2);

        await ask('POST', 'integrations/sandbox/disconnect', { connection: 'second' });
        assert.deepEqual(
          (await listConnected()).map(([connection]) => connection),
          ['default'],
        );
        await context.close();
      });

      test('sees their contacts in the example product, which nobody else does', async () => {
        const context = await stage.newContext();
        const received: Promise<string>[] = [];
        context.on('response', (response) => {
          // The stream of events doesn't end.
          if (!response.url().endsWith('/events')) received.push(response.text().catch(() => ''));
        });
        const page = await context.newPage();
        await page.goto(example?.origin ?? '');
        const notice = page.locator('#notice');
        const contacts = page.locator('#contacts li');
        const events = page.locator('#events li');
        const press = (name: string) => page.getByRole('button', { name }).click();
        await page.getByRole('heading', { name: 'Contacts of Acme' }).waitFor();
        await notice.getByText('Connect an account').waitFor();
        assert.deepEqual(await findViolations(page), []);

        const [popup] = await Promise.all([context.waitForEvent('page'), press('Connect the sandbox')]);
        await popup.getByRole('button', { name: 'Allow' }).click();
        await contacts.getByText('Jonas Berg ').waitFor();
        assert.equal(await contacts.count(), 10);
        // Without a reload.
        await events.getByText('connection.connected sandbox').waitFor();
        assert.equal(await page.getByRole('button', { name: 'Connect the sandbox' }).count(), 0);
        await press('Next');
        await contacts.getByText('Tess Walker ').waitFor();
        await press('Next');
        await contacts.getByText('Zoe Laurent ').waitFor();
        assert.equal(await contacts.count(), 5);
        assert.ok(await page.getByRole('button', { name: 'Next' }).isDisabled());
        await press('Ask too often');
        await notice.getByText('The provider is busy. Try again in 2 seconds.').waitFor();
        assert.deepEqual(await findViolations(page), []);

        await press('Bob (Globex)');
        await page.getByRole('heading', { name: 'Contacts of Globex' }).waitFor();
        await notice.getByText('Connect an account').waitFor();
        assert.equal(await contacts.count(), 0);
        assert.equal(await events.count(), 0);
        await press('Ann (Acme)');
        await contacts.getByText('Jonas Berg ').waitFor();
        const connect = page.getByRole('button', { name: 'Connect the sandbox' });
        await page.getByText('Connected as').waitFor();
        assert.equal(await connect.count(), 0, 'It is connected, also after a reload.');
        await press('Disconnect');
        await press('Disconnect');
        await notice.getByText('Connect an account').waitFor();
        await connect.waitFor();
        await events.getByText('connection.disconnected sandbox').waitFor();
        const texts = await Promise.all(received);
        assert.ok(texts.some((text) => text.includes('contact-1@sandbox.test')));
        assert.deepEqual(
          texts.filter((text) => text.includes(OPERATOR_TOKEN) || text.includes('whsec_')),
          [],
        );
        // The popup comes back to the same page, and closes while that is loading.
        const others = stage.complaints.filter((complaint) => !complaint.endsWith('Failed to fetch'));
        assert.deepEqual(others, []);
        await context.close();
      });

      test('sees what happened in the example product without scripts, after a reload', async () => {
        const context = await stage.newContext({ javaScriptEnabled: false });
        const page = await context.newPage();
        await page.goto(example?.origin ?? '');
        const events = await page.locator('#events li').allInnerTexts();
        assert.deepEqual(
          events.map((line) => line.replace(/^[\d-]{10} [\d:]{8} /, '')),
          ['connection.disconnected sandbox', 'connection.connected sandbox'],
        );
        await context.close();
      });

      test('leaves nothing behind when the product deletes them', async () => {
        const before = await ask('GET', 'operator/teams/customer-42');
        const erasing = { key: 'customer-42', state: 'erasing' };
        assert.deepEqual(await ask('DELETE', 'operator/teams/customer-42'), erasing);
        const find = () =>
          fetch(`${stage.url}/api/operator/teams/customer-42`, {
            headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
          });
        assert.equal((await find()).status, 409);
        // The key is free again when its grants are revoked and its rows are gone.
        let again = { id: before.id };
        await waitUntil(
          'the team is erased',
          async () => {
            const answer = await fetch(`${stage.url}/api/operator/teams/customer-42`, {
              method: 'PUT',
              headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
              body: '{"name":"Acme again"}',
            });
            again = (await answer.json()) as { id: string };
            return answer.status === 201;
          },
          80_000,
        );
        assert.notEqual(again.id, before.id);
        assert.deepEqual(await listConnected(), []);
        assert.deepEqual((await ask('GET', 'members')).members, []);
      });
    });
});
