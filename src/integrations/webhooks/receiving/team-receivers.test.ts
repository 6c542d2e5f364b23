import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../../test/harness/app.ts';
import { webhookOf } from '../../../../test/harness/read-webhook.ts';
import { DatabaseUnavailable, Secret } from '../../../platform/index.ts';
import { createTeamReceivers } from './team-receivers.ts';

const ADDRESS = 'a'.repeat(43);
const LONG_MS = 60_000;

/** Receivers over a database with one address, whose secrets can be changed and whose answers can be held back. */
const openReceivers = () => {
  const clock = createTestClock();
  const state = { secrets: ['first'], isAway: false, held: Promise.resolve(), looks: 0 };
  const answer = async <Result>(result: () => Result): Promise<Result> => {
    if (state.isAway) throw new DatabaseUnavailable('Away.');
    const read = result();
    await state.held;
    return read;
  };
  const receivers = createTeamReceivers({
    clock,
    url: 'http://localhost:3000',
    catalogue: new Map([['github', { record: { webhook: webhookOf('github') } }]]) as never,
    database: {
      get: () => {
        state.looks++;
        return answer(() => ({ id: 'address', teamId: 'team', provider: 'github' }));
      },
      all: () => answer(() => state.secrets.map((secret) => ({ id: secret, secret }))),
    } as never,
    vault: { open: async (_team: string, _place: object, sealed: string) => new Secret(sealed) } as never,
  });
  const find = async (): Promise<readonly string[] | undefined> => (await receivers.find('github', ADDRESS))?.secretIds;
  return { clock, state, receivers, find };
};

test('an address is looked up once in a while, and not for a text that is none', async () => {
  const { clock, state, receivers, find } = openReceivers();
  for (const _ of [1, 2, 3]) assert.deepEqual(await find(), ['first']);
  assert.equal(state.looks, 1);
  clock.advance(LONG_MS);
  await find();
  assert.equal(state.looks, 2);
  for (const odd of ['', 'x', `${ADDRESS}a`, `${ADDRESS.slice(1)}/`])
    assert.equal(await receivers.find('github', odd), null);
  assert.equal(state.looks, 2);
});

test('a secret that was removed never counts again, not even while the database is unavailable', async () => {
  const { clock, state, receivers, find } = openReceivers();
  assert.deepEqual(await find(), ['first']);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.held = promise;
  clock.advance(LONG_MS);
  const begunBefore = find();
  state.secrets = ['second'];
  receivers.forget();
  const begunAfter = find();
  resolve();
  await begunBefore;
  assert.deepEqual(await begunAfter, ['second']);
  state.isAway = true;
  clock.advance(LONG_MS);
  assert.deepEqual(await find(), ['second'], 'What was looked up last counts during an outage.');
  receivers.forget();
  await assert.rejects(find(), DatabaseUnavailable);
});
