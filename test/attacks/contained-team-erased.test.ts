// Attack: what the operator has stopped keeps something of a team that was erased.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { useStage } from '../harness/use-stage.ts';

onEachEngine('an erased team', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  test('is in no list of the operator, with its connections, accounts, and token', async () => {
    const { team, headers } = await stage.connected();
    const other = await stage.connected();
    const made = await stage.ask('POST', '/api/tokens', headers, { name: 'the laptop of Ann' });
    const token = await stage.contain(OPERATOR, { token: made.json().id });
    stage.clock.advance(1);
    const before = new Date(stage.clock.now()).toISOString();
    const all = await stage.contain(OPERATOR, { provider: PROVIDER, connectedBefore: before, revoke: true });
    await stage.doDue();
    const teamsOf = async (id: string): Promise<string[]> =>
      (await stage.get(OPERATOR, id)).connections.map((one) => one.team.id);
    assert.deepEqual((await teamsOf(all)).sort(), [team.id, other.team.id].sort());
    const erasure = createTestErasure(stage);
    await erasure.begin(team.id);
    await erasure.expectGone(team.id);
    assert.deepEqual(await teamsOf(all), [other.team.id]);
    const { filters } = (await stage.ask('GET', `/api/operator/containments/${token}`, OPERATOR)).json();
    assert.deepEqual(filters.team, { id: team.id, key: null, name: null });
    assert.deepEqual(filters.token, { id: made.json().id, name: null });
    const rows = await stage.app.database.all('select * from containments');
    assert.doesNotMatch(JSON.stringify(rows), /laptop of Ann/);
  });
});
