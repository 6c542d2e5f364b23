import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createArrivals } from './arrivals.ts';

const WEBHOOK = '/api/webhooks/telephony/voice';
const COOKIE = 'session';

/** Records which requests begin in each turn. */
const openStage = () => {
  const arrive = createArrivals(COOKIE);
  let begun: string[] = [];
  return {
    arrive(name: string, { sender = 'a', url = '/', headers = {}, count = 1 } = {}): void {
      const request = { url, headers } as IncomingMessage;
      for (let index = 0; index < count; index++) arrive(request, sender, () => begun.push(name));
    },
    async turn(): Promise<string[]> {
      begun = [];
      await nextTurn();
      return begun;
    },
  };
};

const count = (begun: readonly string[], name: string): number => begun.filter((one) => one === name).length;

test('what arrives in one turn begins in the next, in order', async () => {
  const { arrive, turn } = openStage();
  for (const name of ['one', 'two', 'three']) arrive(name);
  assert.deepEqual(await turn(), ['one', 'two', 'three']);
  assert.deepEqual(await turn(), []);
});

test('one sender alone begins dozens at a time', async () => {
  const { arrive, turn } = openStage();
  arrive('a', { count: 150 });
  assert.deepEqual([(await turn()).length, (await turn()).length, (await turn()).length], [64, 64, 22]);
});

test('senders take turns, however much one of them sends', async () => {
  const { arrive, turn } = openStage();
  arrive('a', { count: 1_000 });
  arrive('b', { sender: 'b', count: 2 });
  assert.deepEqual((await turn()).slice(0, 5), ['a', 'b', 'a', 'b', 'a']);
});

test('with more senders than begin in a turn, those who wait come first in the next', async () => {
  const { arrive, turn } = openStage();
  for (let sender = 0; sender < 100; sender++) arrive(`${sender}`, { sender: `${sender}`, count: 2 });
  await turn();
  assert.deepEqual((await turn()).slice(0, 37), [...Array.from({ length: 36 }, (_, index) => `${64 + index}`), '0']);
});

test('whoever shows a credential does not wait behind strangers at the same address', async () => {
  for (const headers of [{ authorization: 'Bearer x' }, { cookie: `${COOKIE}=x` }]) {
    const { arrive, turn } = openStage();
    arrive('stranger', { count: 1_000 });
    arrive('customer', { headers });
    assert.deepEqual((await turn()).slice(0, 2), ['stranger', 'customer']);
  }
});

test('webhooks go first, and leave something to others', async () => {
  const { arrive, turn } = openStage();
  arrive('other', { count: 100 });
  arrive('webhook', { url: WEBHOOK, count: 100 });
  const begun = await turn();
  assert.equal(begun[0], 'webhook');
  assert.deepEqual([count(begun, 'webhook'), count(begun, 'other')], [48, 16]);
});

test('while webhooks arrive, another sender begins only a few in each turn', async () => {
  const { arrive, turn } = openStage();
  arrive('stranger', { sender: 'b', count: 100 });
  arrive('forged', { sender: 'b', url: WEBHOOK, count: 100 });
  arrive('call', { url: WEBHOOK });
  const begun = await turn();
  assert.deepEqual([begun.indexOf('call') <= 1, begun.length], [true, 1 + 16 + 16]);
  const next = await turn();
  assert.deepEqual([count(next, 'forged'), count(next, 'stranger')], [16, 16], 'The call is still in progress.');
});
