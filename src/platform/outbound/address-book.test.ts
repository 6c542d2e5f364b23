import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressBook } from './address-book.ts';

const MOST_HOSTS = 1_000;

test('the addresses of a host are remembered for ten seconds, and those of a limited number of hosts', async (context) => {
  let passedMs = 0;
  context.mock.method(performance, 'now', () => passedMs);
  let lookups = 0;
  const find = createAddressBook(async () => [`93.184.215.${++lookups % 250}`], false);
  const { signal } = new AbortController();
  const findAgain = async (host: string): Promise<number> => {
    await find(host, signal);
    return lookups;
  };
  assert.equal(await findAgain('host-0.test'), 1);
  passedMs = 9_999;
  assert.equal(await findAgain('host-0.test'), 1);
  passedMs = 10_000;
  assert.equal(await findAgain('host-0.test'), 2);
  for (let host = 1; host < MOST_HOSTS; host++) await find(`host-${host}.test`, signal);
  assert.equal(await findAgain('host-0.test'), MOST_HOSTS + 1);
  assert.equal(await findAgain('one-more.test'), MOST_HOSTS + 2);
  assert.equal(await findAgain('host-0.test'), MOST_HOSTS + 3);
});
