import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Patchbay } from '../../packages/client/src/index.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { keyRecords } from '../harness/keys-stage.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { startApi } from '../harness/proxy-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openBrowserStage } from './stage.ts';

const ADMIN = 'ada@example.com';
const KEYS = 'k1:qLTtYJGy1gGzW3hVZ5O1Yw8dFfJ7i4b0cQmR2xNn9kE=';
const ADMIN_TOKEN = 'admin-token-of-the-approvals-0123456789-01';
const ISSUE = { title: 'The form drops the phone number', body: 'Seen by two callers.' };

onEachEngine('an agent that asks before it writes', (engine) => {
  const api = useStage(async () => {
    const started = await startApi();
    started.answer(async (incoming, response) => {
      await started.note(incoming);
      response.setHeader('content-type', 'application/json');
      response.writeHead(incoming.method === 'POST' ? 201 : 200).end('{"id":"7","email":"octocat@example.com"}');
    });
    return started;
  });
  const mail = useStage(startMailServer);
  const store = useStage(async () => {
    const made = await createTestStore(engine);
    return { url: made.settings.url?.reveal() ?? '', close: made.remove };
  });
  const file = useStage(async () => {
    const written = writeProviderFile(keyRecords(api.url).filter(({ id }) => id === 'keyed'));
    return { path: written.path, close: written.remove };
  });
  const stage = useStage(() =>
    openBrowserStage({
      ...{
        DATABASE_URL: store.url,
        PATCHBAY_PROVIDERS: file.path,
        PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN,
        PATCHBAY_KEYS: KEYS,
      },
      ...{ PATCHBAY_ADMIN_EMAIL: ADMIN, SMTP_URL: mail.url, MAIL_FROM: 'Patchbay <patchbay@hooks.example>' },
    }),
  );
  const phone = prepare(async () => {
    const context = await stage.newContext({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    return { page: await context.newPage() };
  });
  let page: Page;

  const linkIn = async (pattern: RegExp): Promise<string> => {
    let found: string | undefined;
    await waitUntil(
      'the mail has arrived',
      () => {
        const texts = mail.received.map(({ raw }) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '='));
        found = texts.map((text) => pattern.exec(text)?.[0]).find((link) => link !== undefined);
        return found !== undefined;
      },
      90_000,
    );
    return found ?? '';
  };

  before(async () => {
    page = phone.page;
    // Somebody who has signed in with a link from their mailbox gets alerts by mail.
    await page.goto(`${stage.url}/sign-in`);
    await page.getByLabel(/email/i).fill(ADMIN);
    await page.getByRole('button').first().click();
    await page.goto(await linkIn(/http:\/\/localhost:\d+\/sign-in\/[\w.-]+/));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((address) => !address.pathname.startsWith('/sign-in'));
  });

  test('sends once what an admin has approved on a phone, and gets the response', async () => {
    const operator = new Patchbay({ url: stage.url, token: ADMIN_TOKEN });
    await operator.integrations.putKey('keyed', { fields: { api_key: 'secret-key' } });
    await page.goto(`${stage.url}/settings/tokens?preset=ask`);
    await page.getByLabel('Name').fill('Claude on my laptop');
    await page.getByLabel('Call a provider').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.locator('.copy code').first().innerText();

    const send = (method: string, path: string, body?: object) =>
      fetch(`${stage.url}/api/integrations/keyed/proxy/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    assert.equal((await send('GET', 'me')).status, 200);
    api.received.length = 0;
    const asked = await send('POST', 'repos/example/site/issues', ISSUE);
    assert.equal(asked.status, 409);
    const { approval } = (await asked.json()) as { approval: { id: string; url: string } };
    assert.equal(api.received.length, 0);

    const link = await linkIn(/http:\/\/localhost:\d+\/approvals\/[\w-]+/);
    assert.equal(link, approval.url);
    await page.goto(link);
    await page.getByText('Waiting for you').waitFor();
    const shown = await page.locator('main').innerText();
    assert.match(shown, /Claude on my laptop asks to send a POST request to Keyed/);
    assert.match(shown, /octocat@example\.com[\s\S]*POST \/repos\/example\/site\/issues[\s\S]*127\.0\.0\.1/);
    assert.match(shown, /"title": "The form drops the phone number",\n/);
    assert.match(shown, /Exactly this is sent, once, except for white space\. \d+ bytes, JSON\./);
    assert.match(shown, /1 request in the last hour/);
    assert.doesNotMatch(shown, /secret-key/);
    assert.equal(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth), 0);
    assert.match(await page.locator('.bell').innerText(), /1/);
    assert.equal(api.received.length, 0, 'Looking at it sends nothing.');

    await page.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('It was approved, and sent once.').waitFor();
    await page.getByText('Nothing else waits for an approval.').waitFor();
    assert.deepEqual(
      api.received.map(({ method, url, body, headers }) => [method, url, JSON.parse(body), headers['x-key']]),
      [['POST', '/v1/repos/example/site/issues', ISSUE, 'secret-key']],
    );
    const agent = new Patchbay({ url: stage.url, token });
    const decided = await agent.approvals.wait(approval.id);
    assert.deepEqual([decided.state, decided.status], ['sent', 201]);
    const response = await agent.approvals.response(approval.id);
    assert.deepEqual([response.status, await response.json()], [201, { id: '7', email: 'octocat@example.com' }]);

    await page.goto(`${stage.url}/settings/audit`);
    const audit = await page.locator('main').innerText();
    for (const words of ['asked for an approval', 'approved a request', 'was sent'])
      assert.match(audit, new RegExp(words, 'i'));
    await waitUntil('the bell is silent', async () => {
      await page.reload();
      return !/\d/.test(await page.locator('.bell').innerText());
    });
    assert.equal(api.received.length, 1);
    assert.deepEqual(stage.complaints, []);
  });
});
