import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { skipAhead } from '../harness/skip-ahead.ts';
import { useStage } from '../harness/use-stage.ts';

describe('a data directory that is deleted while the service runs', () => {
  const stage = useStage(() => createTestApp('sqlite'));

  test('is not written to as if everything were fine', async () => {
    const rename = (name: string) =>
      stage.server.inject({
        method: 'PATCH',
        url: '/api/team',
        headers: { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` },
        payload: { name },
      });
    assert.equal((await rename('before')).statusCode, 200);
    rmSync(stage.config.data, { recursive: true });
    // It's checked a few times a second.
    skipAhead(150);
    for (const name of ['after', 'again']) assert.equal((await rename(name)).statusCode, 503);
  });
});
