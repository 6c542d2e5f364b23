import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const LIMIT = 600;
const FLOOD = 700;
const guess = (): string => randomBytes(16).toString('hex');

/** Every way to present a credential, and where. The limit for callers is far away. */
const WAYS: Record<string, (guessed: string) => { url: string; headers: Record<string, string> }> = {
  'access tokens': (guessed) => ({ url: '/api/team', headers: { authorization: `Bearer pb_${guessed}_${guessed}` } }),
  'bearer tokens of no shape': (guessed) => ({ url: '/api/team', headers: { authorization: `Bearer ${guessed}` } }),
  'other schemes': (guessed) => ({ url: '/api/team', headers: { authorization: `Basic ${guessed}` } }),
  sessions: (guessed) => ({ url: '/api/team', headers: { cookie: `patchbay_session=${guessed}` } }),
  'cron secrets': (guessed) => ({ url: '/api/cron/weekly-report', headers: { authorization: `Bearer ${guessed}` } }),
  'debug tokens': (guessed) => ({ url: '/api/debug/db', headers: { authorization: `Bearer ${guessed}` } }),
  'metrics tokens': (guessed) => ({ url: '/metrics', headers: { authorization: `Bearer ${guessed}` } }),
  'tokens where none is needed': (guessed) => ({
    url: '/api/integrations/sandbox/connect',
    headers: { authorization: `Bearer ${guessed}` },
  }),
};

onOneEngine('someone guessing', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock, env: { PATCHBAY_RATE_LIMIT: '1000000' } }));
  let addresses = 0;

  const newAddress = (): string => `192.0.2.${++addresses}`;

  for (const [what, present] of Object.entries(WAYS))
    test(`${what} is slowed down by address`, async () => {
      const remoteAddress = newAddress();
      const ask = async (from = remoteAddress) =>
        (await house.server.inject({ ...present(guess()), remoteAddress: from })).statusCode;
      const statuses = [];
      for (let index = 0; index < FLOOD; index++) statuses.push(await ask());
      assert.deepEqual([...new Set(statuses.slice(0, LIMIT))], [401]);
      assert.deepEqual([...new Set(statuses.slice(LIMIT))], [429]);
      assert.equal(await ask(newAddress()), 401, 'Another address is not.');
      clock.advance(60_000);
      assert.equal(await ask(), 401, 'A minute later it may try again.');
    });

  test('does not slow down others with a credential at the same address', async () => {
    const remoteAddress = newAddress();
    const { admin } = await house.createTeam('acme');
    for (let index = 0; index < FLOOD; index++)
      await house.server.inject({ ...WAYS['access tokens']?.(guess()), url: '/api/team', remoteAddress });
    const answers = [
      await house.server.inject({ url: '/api/team', headers: admin.headers, remoteAddress }),
      await house.server.inject({
        url: '/metrics',
        headers: { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` },
        remoteAddress,
      }),
    ];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200],
    );
  });
});
