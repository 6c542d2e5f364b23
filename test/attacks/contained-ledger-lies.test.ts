// Attack: the ledger says that a grant has ended while it lives, or forgets one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { serverError } from '../harness/oauth-server/faults.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('the ledger of a containment', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const tokensOf = async (teamId: string, provider = PROVIDER, name?: string): Promise<string[]> => {
    const tokens = await openTokens(stage.app.vault, await stage.row(teamId, provider, name));
    assert.ok(tokens);
    return [tokens.accessToken.reveal(), ...(tokens.refreshToken ? [tokens.refreshToken.reveal()] : [])];
  };
  const countActive = async (tokens: readonly string[]): Promise<number> =>
    (await Promise.all(tokens.map((token) => stage.oauth.isActive(token)))).filter(Boolean).length;
  const said = async (headers: Record<string, string>, id: string) => {
    const { state, connections } = await stage.get(headers, id);
    return { state, states: connections.map((one) => one.state) };
  };

  test('does not call a grant gone because a second containment finds its revocation pending', async () => {
    const { team, headers } = await stage.connected();
    const tokens = await tokensOf(team.id);
    stage.oauth.fail('revoke', serverError, 100);
    const first = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.deepEqual((await said(headers, first)).states, ['pending']);
    const second = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    stage.clock.advance(60_000);
    await stage.doDue();
    assert.equal(await countActive(tokens), 2, 'The grant lives.');
    const both = [await said(headers, first), await said(headers, second)];
    stage.oauth.mend();
    for (const { state, states } of both) {
      assert.deepEqual([state, states], ['active', ['pending']]);
    }
  });

  test('does not call a grant gone that the operator contains while the team’s revocation is pending', async () => {
    const { team, headers } = await stage.connected();
    const tokens = await tokensOf(team.id);
    stage.oauth.fail('revoke', serverError, 100);
    const first = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const second = await stage.contain(OPERATOR, { provider: PROVIDER, team: team.id, revoke: true });
    await stage.doDue();
    stage.clock.advance(60_000);
    await stage.doDue();
    const states = [(await said(headers, first)).states, (await said(OPERATOR, second)).states];
    stage.oauth.mend();
    assert.equal(await countActive(tokens), 2, 'The grant lives.');
    assert.deepEqual(states, [['pending'], ['pending']]);
  });

  test('does not call a shared grant gone because it is contained once more', async () => {
    const first = await stage.connected();
    const second = await stage.newTeam();
    const shared = stage.newAccount();
    await first.at.connect(PROVIDER, shared);
    await second.at.connect(PROVIDER, shared);
    const one = await stage.contain(first.headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.equal((await said(first.headers, one)).states[0], 'shared');
    const again = await stage.contain(first.headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    assert.equal(await countActive(await tokensOf(second.team.id)), 2, 'The grant lives.');
    assert.deepEqual((await said(first.headers, again)).states, ['shared']);
  });

  test('does not call a grant gone that nobody can revoke, if it is connected again first', async () => {
    const team = await stage.newTeam();
    const { headers } = team.admin;
    const account = stage.newAccount();
    // A team has two turns at once, so the third waits for slow providers.
    for (const provider of ['acme-full', 'acme-never']) await team.at.connect(provider, stage.newAccount());
    await team.at.connect('acme-plain', account);
    const tokens = await tokensOf(team.team.id, 'acme-plain');
    const before = new Date(stage.clock.now() + 1).toISOString();
    const id = await stage.contain(headers, { connectedBefore: before, revoke: true });
    stage.clock.advance(9_000);
    const held = [stage.oauth.hold('revoke', 'before'), stage.oauth.hold('revoke', 'before')];
    const running = stage.runOnce();
    await Promise.all(held.map(({ arrived }) => arrived));
    await team.at.connect('acme-plain', account);
    for (const { release } of held) release();
    await running;
    await stage.doDue();
    assert.equal(await countActive(tokens), 2, 'The grant lives.');
    const { connections } = await stage.get(headers, id);
    assert.equal(connections.find((one) => one.provider === 'acme-plain')?.state, 'unsupported');
  });

  for (const how of ['disconnects', 'connects again'] as const)
    test(`has what a member ${how} before it was listed`, async () => {
      const { at, headers } = await stage.connected();
      const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
      stage.clock.advance(1);
      if (how === 'disconnects') await at.disconnect(PROVIDER);
      else await at.connect(PROVIDER, stage.newAccount());
      await stage.doDue();
      assert.equal((await said(headers, id)).states.length, 1, 'It is in no list: nobody learns that it leaked.');
    });

  test('does not call a connection revoked whose own tokens were thrown away and live', async () => {
    const team = await stage.newTeam();
    const account = stage.newAccount();
    for (const connection of ['one', 'two']) await team.at.connect(PROVIDER, account, { connection });
    const tokens = [await tokensOf(team.team.id, PROVIDER, 'one'), await tokensOf(team.team.id, PROVIDER, 'two')];
    // The entry doesn't say what a revocation ends, as in 132 of the 143 of the catalog that have one.
    stage.oauth.rules.endsWholeGrant = false;
    const id = await stage.contain(team.admin.headers, { provider: PROVIDER, revoke: true });
    await stage.doDue();
    const { state, states } = await said(team.admin.headers, id);
    const active = await Promise.all(tokens.map(([, refreshToken = '']) => countActive([refreshToken])));
    const left = await stage.app.database.all('select id from revocations where team_id = $1', [team.team.id]);
    stage.oauth.rules.endsWholeGrant = true;
    assert.ok(
      active.every((count) => count === 0) || !states.every((one) => one === 'revoked'),
      JSON.stringify({ state, states, active, revocationsLeft: left.length }),
    );
  });

  test('revokes nothing more once it was lifted, if another containment without revocation goes on', async () => {
    const team = await stage.newTeam();
    const { headers } = team.admin;
    for (const connection of ['one', 'two', 'three', 'four'])
      await team.at.connect(PROVIDER, stage.newAccount(), { connection });
    await stage.contain(headers, { provider: PROVIDER });
    const id = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    stage.clock.advance(9_000);
    const held = stage.oauth.hold('revoke', 'before');
    const before = stage.oauth.count('revoke');
    const running = stage.runOnce();
    await held.arrived;
    await stage.lift(headers, id);
    const asked = stage.oauth.count('revoke');
    held.release();
    await running;
    await stage.doDue();
    assert.ok(asked - before <= 2, 'Two of a team at a time.');
    assert.ok(stage.oauth.count('revoke') - asked <= 1, 'Only what was under way is revoked after the lift.');
  });
});
