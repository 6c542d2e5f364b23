import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnectionRows } from '../../../test/harness/connection-rows.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { listDueAt, listProvidersWith } from './due-store.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

onEachEngine('connections with something to do', (engine) => {
  const rows = useStage(() => openConnectionRows(engine));

  test('are found provider by provider, the longest due first, in every team', async () => {
    await rows.put('third', { refreshDueAt: NOW });
    await rows.put('first', { refreshDueAt: NOW - 2 }, 'other');
    await rows.put('second', { refreshDueAt: NOW - 1 });
    await rows.put('later', { refreshDueAt: NOW + 1 });
    await rows.put('beta', { provider: 'beta', refreshDueAt: NOW - 3 });
    await rows.put('never', { provider: 'gamma' });
    await rows.put('key', { provider: 'delta', verifyDueAt: NOW });
    assert.deepEqual((await listProvidersWith(rows.database, 'refresh_due_at')).toSorted(), ['acme', 'beta']);
    assert.deepEqual(await listProvidersWith(rows.database, 'verify_due_at'), ['delta']);
    const listNames = async (limit: number) =>
      (await listDueAt(rows.database, 'refresh_due_at', { provider: 'acme', now: NOW, limit })).map(({ name }) => name);
    assert.deepEqual(await listNames(10), ['first', 'second', 'third']);
    assert.deepEqual(await listNames(2), ['first', 'second']);
  });
});
