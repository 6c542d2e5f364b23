import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Patchbay } from '../../packages/client/src/index.ts';
import { problemIn, resultOf } from '../harness/agent.ts';
import { CALLBACK, CLIENTS, createMemory } from '../harness/agent-clients.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { keyRecords } from '../harness/keys-stage.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { startApi } from '../harness/proxy-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { findViolations } from './find-violations.ts';
import { openBrowserStage } from './stage.ts';

const KEYS = 'k1:qLTtYJGy1gGzW3hVZ5O1Yw8dFfJ7i4b0cQmR2xNn9kE=';
const ADMIN_TOKEN = 'admin-token-of-the-agents-0123456789-012';

/** Where an agent waits for its code on the person's own computer. */
const startCallback = async () => {
  const arrived: URL[] = [];
  const server = createServer((request, response: ServerResponse) => {
    arrived.push(new URL(request.url ?? '', CALLBACK));
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Done</title><p>You can go back.</p>');
  });
  server.listen(Number(new URL(CALLBACK).port), '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { arrived, close };
};

onEachEngine('a person who lets an agent in', (engine) => {
  const api = useStage(startApi);
  const callback = useStage(startCallback);
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
      ...{ DATABASE_URL: store.url, PATCHBAY_PROVIDERS: file.path },
      ...{ PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN, PATCHBAY_KEYS: KEYS },
    }),
  );
  const phone = prepare(async () => {
    const context = await stage.newContext({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    return { page: await context.newPage() };
  });
  let page: Page;

  before(async () => {
    page = phone.page;
    const operator = new Patchbay({ url: stage.url, token: ADMIN_TOKEN });
    await operator.integrations.putKey('keyed', { fields: { api_key: 'secret-key' } });
  });

  for (const [which, open] of Object.entries(CLIENTS))
    test(`signs in, chooses, approves, and ends it (the ${which} client)`, async (context) => {
      const memory = createMemory();
      const first = await open(stage.url, memory);
      await assert.rejects(first.connect(), /[Uu]nauthorized/);
      await page.goto(String(memory.asked));
      if (new URL(page.url()).pathname === '/sign-in') {
        // The link opens in the same browser, which then goes on to where the agent led it.
        await page.goto(stage.link);
        await page.getByRole('button', { name: 'Sign in' }).click();
      }
      await page.waitForURL(/\/oauth\/consent\//);
      assert.match(await page.locator('h1').innerText(), /Let “Test agent” in\?/);
      assert.match(await page.locator('main').innerText(), /calls itself Test agent[\s\S]*127\.0\.0\.1:33418/);
      assert.deepEqual(await findViolations(page), []);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.getByText('Choose at least one account').waitFor();
      await page.getByLabel(/Keyed/).check();
      await page.getByLabel(/which accounts are connected/).check();
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${CALLBACK}**`);
      const back = callback.arrived.at(-1);
      await first.finish(back?.searchParams.get('code') ?? '', back?.searchParams.get('iss') ?? null);

      const agent = await open(stage.url, memory);
      await agent.connect();
      context.after(() => agent.close());
      assert.ok((await agent.listTools()).includes('call_api'));
      assert.equal(resultOf(await agent.call('call_api', { provider: 'keyed', path: '/things' }))['status'], 200);

      const write = { provider: 'keyed', method: 'POST', path: '/things', body: { title: 'The form drops it' } };
      const asked = problemIn(await agent.call('call_api', write));
      assert.equal(asked.code, 'tokens.approval_needed');
      await page.goto(asked.approval.url);
      assert.match(await page.locator('main').innerText(), /The form drops it/);
      await page.getByRole('button', { name: 'Approve and send' }).click();
      await page.getByText('It was approved, and sent once.').waitFor();
      assert.equal(resultOf(await agent.call('get_approval', { id: asked.approval.id }))['state'], 'sent');

      Object.assign(memory.held ?? {}, { access_token: 'pba_gone' });
      assert.ok((await agent.listTools()).includes('call_api'), 'It has refreshed.');

      await page.goto(`${stage.url}/agents`);
      await page.getByRole('link', { name: /Remove Test agent/ }).click();
      await page.getByRole('button', { name: /Revoke|Remove/ }).click();
      await page.waitForURL(/\/agents/);
      assert.match(await page.locator('main').innerText(), /No agents yet/);
      memory.asked = null;
      await assert.rejects(async () => {
        for (let count = 0; count < 20; count++) await agent.listTools();
      });
      assert.ok(memory.asked, 'It has to ask the person again.');
    });
});
