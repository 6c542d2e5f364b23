import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryAdapter } from './memory-adapter.ts';

const HOUR = 3_600;
const NOW = Date.parse('2026-11-15T12:00:00Z');

test('expired entries are not found', async (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: NOW });
  const adapter = createMemoryAdapter();
  await adapter.upsert('token', { jti: 'token' }, HOUR);
  context.mock.timers.tick(HOUR * 1_000 - 1);
  assert.ok(await adapter.find('token'));
  context.mock.timers.tick(1);
  assert.equal(await adapter.find('token'), undefined);
});

test('when full, it evicts expired entries first, then consumed ones, then the oldest', async (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: NOW });
  const adapter = createMemoryAdapter();
  const add = (id: string, seconds = HOUR) => adapter.upsert(id, { jti: id, grantId: 'grant' }, seconds);
  const areKept = async (...ids: string[]) => {
    const found = await Promise.all(ids.map((id) => adapter.find(id)));
    return found.map((payload) => payload !== undefined);
  };
  for (const id of ['oldest', 'next', 'spent']) await add(id);
  await adapter.consume('spent');
  await add('expires', 1);
  for (let count = 4; count < 1_000; count++) await add(`other-${count}`);
  context.mock.timers.tick(1_000);

  await add('a');
  assert.deepEqual(await areKept('oldest', 'next', 'spent', 'a'), [true, true, true, true]);
  await add('b');
  assert.deepEqual(await areKept('oldest', 'next', 'spent', 'b'), [true, true, false, true]);
  await add('c');
  assert.deepEqual(await areKept('oldest', 'next', 'c'), [false, true, true]);
  await add('next');
  await add('d');
  assert.deepEqual(await areKept('next', 'other-4', 'd'), [true, false, true]);
});

test('revoking a grant removes what was issued for it and nothing else', async () => {
  const adapter = createMemoryAdapter();
  await adapter.upsert('one', { grantId: 'first' }, HOUR);
  await adapter.upsert('two', { grantId: 'second' }, HOUR);
  await adapter.revokeByGrantId('first');
  assert.equal(await adapter.find('one'), undefined);
  assert.ok(await adapter.find('two'));
});
