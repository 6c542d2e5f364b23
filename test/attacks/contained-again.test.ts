// Attack: after revocation was given up, or a disconnect; lists that grow without end; exports that outlive their caller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('what was contained before', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  test('is not called gone by a disconnect while its revocation is pending', async () => {
    const { team, at, headers } = await stage.connected();
    const tokens = await openTokens(stage.app.vault, await stage.row(team.id, PROVIDER));
    stage.oauth.fail('revoke', serverError, 100);
    await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const outcome = await at.disconnect(PROVIDER);
    const alive = await stage.oauth.isActive(tokens?.refreshToken?.reveal() ?? '');
    stage.oauth.mend();
    assert.equal(alive, true);
    assert.notEqual(outcome, 'already_gone');
  });

  test('does not grow without end by beginning and lifting', async () => {
    const { headers } = await stage.connected();
    for (let round = 0; round < 20; round++)
      await stage.lift(headers, await stage.contain(headers, { provider: PROVIDER }));
    const refused = await stage.tryToContain(headers, { provider: PROVIDER });
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'integrations.containments_full']);
    stage.clock.advance(3_600_001);
    assert.equal((await stage.tryToContain(headers, { provider: PROVIDER })).statusCode, 201);
  });
});
