import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Routes, routeOptions } from '../../src/http/index.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { asCustomer, OPERATOR, putCustomer } from '../harness/customers.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** For all customers together. Each may use a tenth. */
const PER_MINUTE = 200;
const PER_TEAM = PER_MINUTE / 10;
const AT_ONCE = 8;
const MANY = 50;

describe('a customer for whom the operator sends very many requests', () => {
  const clock = createTestClock();
  let gate = Promise.withResolvers<void>();
  let begun: string[] = [];

  const routes: Routes = (server) => {
    const options = routeOptions({ door: 'operator', whenUnset: 'hide' }, 'test')({ hide: true });
    server.get('/api/operator/teams/:key/slow', options, async ({ params }) => {
      begun.push((params as { key: string }).key);
      await gate.promise;
      return {};
    });
  };

  const limited = useStage(() =>
    createTestApp('sqlite', { clock, env: { PATCHBAY_OPERATOR_RATE_LIMIT: String(PER_MINUTE) } }),
  );
  const stage = useStage(() => createTestApp('sqlite', { routes: [routes], env: { PATCHBAY_RATE_LIMIT: '6000' } }));

  beforeEach(() => {
    gate = Promise.withResolvers();
    begun = [];
  });

  const read = async (key: string) =>
    (await limited.server.inject({ url: `/api/operator/teams/${key}`, headers: OPERATOR })).statusCode;
  const act = async (key: string) =>
    (await limited.server.inject({ url: '/api/team', headers: asCustomer(key).headers })).statusCode;

  test('is refused before it uses up what all others have', async () => {
    for (const key of ['greedy', 'modest']) await putCustomer(limited, key);
    clock.advance(60_000);
    const statuses: number[] = [];
    for (let count = 0; count < PER_MINUTE; count++) statuses.push(await read('greedy'));
    assert.deepEqual(
      statuses.map((status, index) => status === (index < PER_TEAM ? 200 : 429)),
      Array(PER_MINUTE).fill(true),
    );
    for (let count = 0; count < PER_MINUTE; count++)
      assert.equal(await act('greedy'), 429, 'It counts in the same way wherever its key is.');
    assert.deepEqual([await read('modest'), await act('modest')], [200, 200]);
  });

  test('has a few of them in progress, and the others wait', async () => {
    const call = (key: string) => stage.server.inject({ url: `/api/operator/teams/${key}/slow`, headers: OPERATOR });
    const flood = Array.from({ length: MANY }, () => call('greedy'));
    const single = call('modest');
    await waitUntil('the other customer has its turn', () => begun.includes('modest'));
    assert.deepEqual(begun, [...Array(AT_ONCE).fill('greedy'), 'modest']);
    gate.resolve();
    const answers = await Promise.all([...flood, single]);
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
  });
});
