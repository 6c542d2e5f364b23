import assert from 'node:assert/strict';
import { test } from 'node:test';
import { full } from '../../../test/harness/report-figures.ts';
import { Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { ReportRow } from './report-store.ts';
import { openFigures } from './sealed-figures.ts';

test('figures from before connections had names are about the default connection', async () => {
  const [first, second] = full.integrations;
  assert.ok(first && second);
  const { connection: _, ...old } = first;
  const stored = JSON.stringify({ ...full, integrations: [old, second] });
  const vault = { open: async () => new Secret(stored) } as unknown as Vault;
  const { integrations } = await openFigures(vault, { teamId: 't', id: 'r', figures: 'sealed' } as ReportRow);
  assert.deepEqual(
    integrations.map(({ connection }) => connection),
    ['default', 'sales'],
  );
});
