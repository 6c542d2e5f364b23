import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { silent } from '../harness/oauth-server/faults.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import { useStage } from '../harness/use-stage.ts';

/** A token with a lifetime of an hour is due by then, and still works. */
const DUE_MS = 56 * 60_000;

describe('a token endpoint that never answers', () => {
  const stage = useStage(() => openIntegrationsStage('sqlite'));

  test('delays a token that still works for a moment, and not until the request fails', async () => {
    const { at } = await stage.newTeam();
    await at.connect('acme', stage.newAccount());
    const token = await at.token('acme');
    stage.clock.advance(DUE_MS);
    stage.oauth.fail('refresh', silent, Number.POSITIVE_INFINITY);
    const readMs = startStopwatch();
    assert.equal(await at.token('acme'), token);
    assert.ok(readMs() < 9_000, 'The caller waited for the provider.');
    assert.equal(stage.oauth.count('refresh'), 1, 'It was not asked.');
  });
});
