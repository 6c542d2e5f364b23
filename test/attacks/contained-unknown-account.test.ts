// Attack: a connect that was under way leaves a grant behind, because nobody knows whose account it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { onEachEngine } from '../harness/databases.ts';
import { JSON_ONLY } from '../harness/team-member.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('a grant of an unknown account that the provider is just issuing', (engine) => {
  const stage = useStage(() => openContainmentStage(engine, {}, { identity: null }));

  for (const revoke of [true, false])
    test(`is ${revoke ? 'revoked' : 'left alone'} by a containment ${revoke ? 'with' : 'without'} revocation`, async () => {
      const { at, admin } = await stage.newTeam();
      const begun = await at.goToProvider(PROVIDER, stage.newAccount());
      const held = stage.oauth.hold('code', 'after');
      const arriving = stage.ask('GET', begun.path, { ...JSON_ONLY, cookie: begun.cookie });
      await held.arrived;
      await stage.contain(admin.headers, { provider: PROVIDER, revoke });
      held.release();
      assert.equal((await arriving).json().code, 'integrations.contained');
      assert.equal(await stage.oauth.isActive(stage.oauth.issued.at(-1)?.refreshToken ?? ''), !revoke);
    });
});
