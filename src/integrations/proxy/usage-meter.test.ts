import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock, createTestLog } from '../../../test/harness/app.ts';
import type { Database } from '../../platform/index.ts';
import { createUsageMeter } from './usage-meter.ts';

const WRITE_MS = 5_000;
const USE = { failed: false, bytes: 1 };

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
