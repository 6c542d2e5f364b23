import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';

describe('readiness, which anyone can ask for', () => {
  const stage = useStage(() => createTestApp('sqlite'));

  test('reads no migration from disk', async (context) => {
    const read = context.mock.method(fs, 'readFileSync');
    syncBuiltinESMExports();
    try {
      for (let time = 0; time < 3; time++) {
        const { statusCode, body } = await stage.server.inject('/readyz');
        assert.equal(statusCode, 200, body);
      }
      const files = read.mock.calls.map(({ arguments: [path] }) => String(path));
      assert.deepEqual(
        files.filter((path) => path.endsWith('.sql')),
        [],
      );
    } finally {
      read.mock.restore();
      syncBuiltinESMExports();
    }
  });
});
