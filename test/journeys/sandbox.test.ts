import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { locationOf } from '../harness/browser.ts';
import { makeDataDirectory, type Serving, startServe } from '../harness/serve-process.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { walkSandbox } from '../harness/walk-sandbox.ts';

/** What a newcomer has after `npm start` in an empty directory: an address, a token, and no account anywhere. */
describe('the first minutes with the sandbox', () => {
  const data = makeDataDirectory();
  let serving: Serving;
  let url: string;
  let headers: { authorization: string };

  const start = async (): Promise<void> => {
    serving = await startServe({ PATCHBAY_DATA: data.path });
    await serving.ready();
    url = serving.url.replace('127.0.0.1', 'localhost');
  };

  before(async () => {
    await start();
    const token = /^ *(pb_\S+)$/m.exec(serving.output.stdout)?.[1];
    assert.ok(token, 'The welcome shows an access token.');
    assert.equal(/^Patchbay is ready at (\S+)$/m.exec(serving.output.stdout)?.[1], url);
    headers = { authorization: `Bearer ${token}` };
  });
  after(async () => {
    await serving?.end();
    data.remove();
  });

  const ask = async (method: 'GET' | 'POST', path: string) => {
    const answer = await fetch(`${url}/api/integrations/${path}`, { method, headers });
    const body = await answer.text();
    assert.equal(answer.status, 200, `${method} ${path}: ${body}`);
    return JSON.parse(body);
  };

  const getStatus = async () => {
    const { integrations } = await ask('GET', 'status');
    return integrations.find(({ provider }: { provider: string }) => provider === 'sandbox');
  };

  const getUserinfo = (accessToken: string) =>
    fetch(`${url}/sandbox/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } });

  const walk = (query: string, answer: 'allow' | 'deny') => walkSandbox(url, headers, { query, answer });

  test('the connect command in the welcome works as printed', async () => {
    const printed = /curl -X POST -H '([\w-]+): ([^']+)' '([^']+\/connect)'/.exec(serving.output.stdout);
    assert.ok(printed);
    const [, name = '', value = '', address = ''] = printed;
    const begun = await fetch(address, { method: 'POST', headers: { [name]: value } });
    assert.equal(begun.status, 200);
    const { authorizationUrl } = (await begun.json()) as { authorizationUrl: string };
    assert.ok(authorizationUrl.startsWith(`${url}/sandbox/`));
  });

  test('if allowed, connects with a token that works until the disconnect', async () => {
    assert.equal((await getStatus()).status, 'disconnected');
    const arrived = await walk('', 'allow');
    assert.equal(arrived.status, 200);
    assert.match(await arrived.text(), /Sandbox is connected/);
    const { status, account, scopes, connectedBy } = await getStatus();
    assert.equal(status, 'connected');
    assert.deepEqual(account, { id: 'sandbox-1', label: 'first-account@sandbox.test' });
    assert.ok(scopes.includes('offline_access'));
    assert.equal(connectedBy.label, 'admin@localhost');

    const { accessToken, tokenType, expiresAt } = await ask('POST', 'sandbox/token');
    assert.equal(tokenType, 'Bearer');
    assert.ok(Date.parse(expiresAt) > Date.now());
    const userinfo = await getUserinfo(accessToken);
    assert.equal(userinfo.status, 200);
    assert.equal(((await userinfo.json()) as { sub: string }).sub, 'sandbox-1');

    assert.deepEqual(await ask('POST', 'sandbox/disconnect'), {
      provider: 'sandbox',
      status: 'disconnected',
      revocation: 'revoked',
    });
    assert.equal((await getUserinfo(accessToken)).status, 401);
    assert.equal((await getStatus()).status, 'disconnected');
    assert.equal((await ask('POST', 'sandbox/disconnect')).revocation, 'not_connected');
  });

  test('a connection is refreshed after a restart as before, and nobody is alerted', async () => {
    assert.equal((await walk('', 'allow')).status, 200);
    const { accessToken: before } = await ask('POST', 'sandbox/token');
    await serving.end('SIGTERM');
    const database = new DatabaseSync(join(data.path, 'patchbay.db'));
    assert.equal(database.prepare('update connections set expires_at = 1, refresh_due_at = 1').run().changes, 1);
    database.close();
    await start();
    assert.equal((await getUserinfo(before)).status, 200, 'A token from before is still valid.');
    const { accessToken } = await ask('POST', 'sandbox/token');
    assert.notEqual(accessToken, before);
    assert.equal((await getUserinfo(accessToken)).status, 200);
    const { status, lastRefreshedAt } = await getStatus();
    assert.equal(status, 'connected');
    assert.notEqual(lastRefreshedAt, null);
    const answer = await fetch(`${url}/api/events/alerts`, { headers });
    assert.deepEqual(((await answer.json()) as { open: unknown[] }).open, []);
    assert.equal((await ask('POST', 'sandbox/disconnect')).revocation, 'revoked');
  });

  test('a connection is verified in the background', async () => {
    assert.equal((await walk('', 'allow')).status, 200);
    await serving.end('SIGTERM');
    const change = new DatabaseSync(join(data.path, 'patchbay.db'));
    change.prepare("update recurring_jobs set next_at = 0 where name = 'verify-due'").run();
    change.close();
    await start();
    await waitUntil('it was verified', async () => {
      const database = new DatabaseSync(join(data.path, 'patchbay.db'), { readOnly: true });
      try {
        return Boolean(database.prepare('select verified_at from connections').get()?.['verified_at']);
      } finally {
        database.close();
      }
    });
    assert.equal((await getStatus()).status, 'connected');
    assert.equal((await ask('POST', 'sandbox/disconnect')).revocation, 'revoked');
  });

  test('if denied, the outcome is failed and nothing is connected', async () => {
    const arrived = await walk('?returnTo=/there', 'deny');
    assert.equal(arrived.status, 303);
    const { pathname, search } = new URL(locationOf(arrived));
    assert.equal(pathname, '/there');
    assert.equal(search, '?provider=sandbox&outcome=failed&error=integrations.access_denied');
    const page = await walk('', 'deny');
    assert.equal(page.status, 403);
    assert.match(await page.text(), /Connecting Sandbox failed/);
    assert.equal((await getStatus()).status, 'disconnected');
  });
});
