import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outbound } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { expectRefused } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PER_ADMIN = 2;
const MOST_WAITING = 4;
const MANY = 30;

onOneEngine('test messages to a Slack that does not respond', (engine) => {
  const held = Promise.withResolvers<void>();
  let open = 0;
  const outbound: Outbound = {
    async request({ url }) {
      if (url.includes('silent')) {
        open++;
        await held.promise;
      }
      return { status: 200, headers: {}, body: Buffer.from('ok') };
    },
    open: () => Promise.reject(new Error('nobody asks for that')),
  };
  const stage = useStage(() => createTestApp(engine, { outbound }));

  const send = (headers: Record<string, string>) =>
    stage.server.inject({ method: 'POST', url: '/api/reports/slack/test', headers });

  const setUp = async (name: string, path: string) => {
    const { admin } = await stage.createTeam(name);
    const payload = { url: `https://hooks.slack.com/${path}` };
    const put = await stage.server.inject({
      method: 'PUT',
      url: '/api/reports/slack',
      headers: admin.headers,
      payload,
    });
    assert.equal(put.statusCode, 200, put.body);
    return admin.headers;
  };

  test('are few at a time, and the others are refused', async () => {
    const [greedy, other] = [await setUp('greedy', 'silent'), await setUp('other', 'quick')];
    let refused = 0;
    const sent = Array.from({ length: MANY }, async () => {
      const response = await send(greedy);
      if (response.statusCode === 429) refused++;
      return response;
    });
    await waitUntil('most are refused', () => refused >= MANY - PER_ADMIN - MOST_WAITING);
    await waitUntil('the first are sent', () => open === PER_ADMIN);
    assert.equal((await send(other)).statusCode, 200);
    assert.equal(open, PER_ADMIN);
    held.resolve();
    for (const response of await Promise.all(sent))
      if (response.statusCode !== 200) expectRefused(response, 429, 'reports.too_many_tests');
    assert.equal((await send(greedy)).statusCode, 200);
  });
});
