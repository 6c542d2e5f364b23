import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/platform/index.ts';
import { accountForCalls } from './account-for-calls.ts';
import type { Provider } from './kill-again-and-again.ts';

export const expectCallsKept = async (context: TestContext, database: Database, provider: Provider) => {
  assert.deepEqual(provider.refusals, [], 'A process that is there refuses nothing.');
  const { wrong, calls, unprocessed, ...counts } = await accountForCalls(database, provider);
  const { acknowledged, found, lost, duplicated } = counts;
  context.diagnostic(`acknowledged ${acknowledged}, found ${found}, lost ${lost}, duplicated ${duplicated}`);
  assert.equal(lost, 0);
  assert.equal(duplicated, 0);
  assert.equal(unprocessed, 0);
  assert.deepEqual(wrong, [], 'Each call is right.');
  assert.equal(calls, provider.stories.length, 'There is no call that nobody made.');
  context.diagnostic(`${calls} calls, all of them right`);
};
