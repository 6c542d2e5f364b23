import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SEALED_COLUMNS } from '../src/load-settings.ts';
import { readSchema } from '../src/platform/index.ts';

/** Whose columns are listed in another file: beside the place that both use. */
const LISTED_IN: Record<string, string> = {
  'src/events/log/record-events.ts': 'src/events/sealed-columns.ts',
  'src/integrations/connections/grant-standing.ts': 'src/integrations/connections/prepare-revocation.ts',
  'src/integrations/keys/connection-key.ts': 'src/integrations/connections/connection-tokens.ts',
  'src/integrations/set-up/own-credentials.ts': 'src/integrations/clients/clients.ts',
};

test('whoever seals a value lists its column, so that a restore can tell whether the keys fit', () => {
  const sealing = globSync('src/**/*.ts').filter(
    (file) => !file.endsWith('.test.ts') && /\bvault\.seal\(/.test(readFileSync(file, 'utf8')),
  );
  assert.ok(sealing.length >= 15, `${sealing.length}`);
  const unlisted = sealing.filter(
    (file) => !/: SealedColumn|SealedColumn\[\]/.test(readFileSync(LISTED_IN[file] ?? file, 'utf8')),
  );
  assert.deepEqual(unlisted, []);
});

test('every listed column exists, with its team and all that says where its values belong', () => {
  const schema = new Map(readSchema().map(({ name, columns }) => [name, Object.keys(columns)]));
  const missing = SEALED_COLUMNS.flatMap(({ table, column, placedBy }) =>
    [column, 'team_id', ...placedBy]
      .filter((name) => !schema.get(table)?.includes(name))
      .map((name) => `${table}.${name}`),
  );
  assert.deepEqual(missing, []);
});
