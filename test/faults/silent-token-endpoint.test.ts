import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openIntegrationsStage } from '../harness/integrations-stage.ts';
import { silent } from '../harness/oauth-server/faults.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A token with a lifetime of an hour is due by then, and still works. */
const DUE_MS = 56 * 60_000;
/** Before the request to the provider fails. */
const MOMENT_MS = 4_000;

describe('a token endpoint that never answers', () => {
  const stage = useStage(() => openIntegrationsStage('sqlite'));

  test('delays a token that still works for a moment, and not until the request fails', async (context) => {
    const { at } = await stage.newTeam();
    await at.connect('acme', stage.newAccount());
    const token = await at.token('acme');
    stage.clock.advance(DUE_MS);
    stage.oauth.fail('refresh', silent, Number.POSITIVE_INFINITY);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const handedOut = at.token('acme');
    await waitUntil('it is asked', () => stage.oauth.count('refresh') === 1);
    context.mock.timers.tick(MOMENT_MS);
    assert.equal(await handedOut, token);
  });
});
