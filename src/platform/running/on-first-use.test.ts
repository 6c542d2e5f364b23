import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onFirstUse } from './on-first-use.ts';

test('nothing is made until it is needed, and then only once', async () => {
  let made = 0;
  const get = onFirstUse(async () => ({ number: ++made }));
  assert.equal(made, 0);
  const [one, other] = await Promise.all([get(), get()]);
  assert.equal(one, other);
  assert.equal(await get(), one);
  assert.equal(made, 1);
});

test('everyone who waited gets the failure, and the next call tries again', async () => {
  let tries = 0;
  const get = onFirstUse(async () => {
    tries++;
    if (tries === 1) throw new Error('The disk is away.');
    return tries;
  });
  const waiting = [get(), get()];
  for (const one of waiting) await assert.rejects(one, /The disk is away/);
  assert.equal(await get(), 2);
  assert.equal(await get(), 2);
});
