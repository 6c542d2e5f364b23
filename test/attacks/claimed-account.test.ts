import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startConnectStage } from '../harness/connect-flow.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a team that claims the account of another team', (engine) => {
  const connecting = useStage(() => startConnectStage(engine, { providers: { quickbooks: {} } }));

  test('does not keep its grant from being revoked', async () => {
    const { stage, begin, consent, arrive, post, simulator } = connecting;
    const victim = await stage.createTeam('victim');
    const attacker = await stage.createTeam('attacker');
    const connect = async (person: typeof victim.member, realmId: string | null) => {
      const begun = await begin(person, 'quickbooks');
      const back = new URL(consent(begun.authorizationUrl), 'http://localhost');
      if (realmId !== null) back.searchParams.set('realmId', realmId);
      const arrived = await arrive(`${back.pathname}${back.search}`, { cookie: begun.cookie });
      assert.equal(arrived.statusCode, 200, arrived.body);
      return { realm: back.searchParams.get('realmId') ?? '', account: arrived.json().account };
    };
    const theirs = await connect(victim.member, null);
    // The attacker's own company, with another's number in the address that the browser returns to.
    const claimed = await connect(attacker.member, theirs.realm);
    assert.equal(claimed.account.id, null, 'Nobody has confirmed it.');
    const before = simulator.requests.filter(({ kind }) => kind === 'revoke').length;
    const answer = await post('quickbooks/disconnect', victim.member.headers);
    const asked = simulator.requests.filter(({ kind }) => kind === 'revoke').length - before;
    assert.equal(answer.json().revocation, 'revoked');
    assert.equal(asked, 1);
  });
});
