import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock, createTestLog } from '../../../test/harness/app.ts';
import type { Database } from '../../platform/index.ts';
import { createUsageMeter } from './usage-meter.ts';

const WRITE_MS = 5_000;
const USE = { failed: false, bytes: 1, tokenId: null };

test('a slow write holds up the next one, and closing waits for both', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  const transaction = async (): Promise<void> => {
    steps.push('begun');
    begun.resolve();
    await slow.promise;
    steps.push('written');
  };
  const meter = createUsageMeter({
    database: { transaction } as unknown as Database,
    clock: createTestClock(),
    log: createTestLog().log,
    forgetStatus: () => undefined,
  });
  meter.count({ teamId: 't', id: 'a' }, USE);
  context.mock.timers.tick(WRITE_MS);
  await begun.promise;
  meter.count({ teamId: 't', id: 'b' }, USE);
  context.mock.timers.tick(WRITE_MS);
  const closing = meter.close();
  slow.resolve();
  await closing;
  assert.deepEqual(steps, ['begun', 'written', 'begun', 'written']);
});

test('what could not be written keeps nothing else from being written, now or later', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let begun = 0;
  const first = Promise.withResolvers<void>();
  const forgotten: string[] = [];
  const transaction = async (): Promise<void> => {
    first.resolve();
    if (++begun === 1) throw new Error('away');
  };
  const meter = createUsageMeter({
    database: { transaction } as unknown as Database,
    clock: createTestClock(),
    log: createTestLog().log,
    forgetStatus: (teamId) => void forgotten.push(teamId),
  });
  for (let id = 0; id < 201; id++) meter.count({ teamId: 't', id: String(id) }, USE);
  context.mock.timers.tick(WRITE_MS);
  await first.promise;
  meter.count({ teamId: 'later', id: 'b' }, USE);
  await meter.close();
  assert.deepEqual([begun, forgotten], [3, ['t', 'later']]);
});
