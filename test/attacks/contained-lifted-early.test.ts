// Attack: a containment is lifted, or a connection replaced, while its ledger is being filled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;

onEachEngine('a containment whose ledger is being filled', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  const makeDue = (teamId: string) =>
    stage.app.database.run('update connections set refresh_due_at = $2, verify_due_at = $2 where team_id = $1', [
      teamId,
      stage.clock.now(),
    ]);

  test('leaves no access token stopped that nobody can free once it was lifted', async () => {
    const { team, headers } = await stage.connected();
    const made = (await stage.ask('POST', '/api/tokens', headers, { name: 'ours' })).json<{ token: string }>();
    const ours = { authorization: `Bearer ${made.token}` };
    const id = await stage.contain(OPERATOR, { team: team.id });
    const held = holdAnswer(stage.app.database, 'all', 'phase <>');
    const running = stage.app.integrations.containments.doDue();
    await held.answered;
    await stage.lift(OPERATOR, id);
    held.release();
    await running;
    stage.clock.advance(1_000);
    assert.equal((await stage.ask('GET', '/api/team', ours)).statusCode, 200, 'It was lifted.');
  });

  test('leaves no connection unrefreshed that was put off before it was listed', async () => {
    const { team, headers } = await stage.connected();
    await makeDue(team.id);
    const id = await stage.contain(headers, { provider: PROVIDER });
    await stage.app.integrations.refreshDue();
    await stage.app.integrations.verifyDue();
    await stage.lift(headers, id);
    await stage.doDue();
    stage.clock.advance(DAY_MS);
    const { refreshDueAt, verifyDueAt } = await stage.row(team.id, PROVIDER);
    assert.ok(refreshDueAt !== null && refreshDueAt <= stage.clock.now(), 'It is not refreshed for a month.');
    assert.ok(verifyDueAt !== null && verifyDueAt <= stage.clock.now(), 'It is never verified.');
  });

  test('leaves no connection unrefreshed that two of them stopped', async () => {
    const { team, headers } = await stage.connected();
    const first = await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    const second = await stage.contain(headers, { provider: PROVIDER, revoke: true });
    const held = holdAnswer(stage.app.database, 'scan', 'from connections');
    await stage.lift(headers, first);
    const running = stage.app.integrations.containments.doDue();
    await held.answered;
    await stage.lift(headers, second);
    held.release();
    await running;
    await stage.doDue();
    const { refreshDueAt, verifyDueAt } = await stage.row(team.id, PROVIDER);
    assert.ok((refreshDueAt ?? 0) < stage.clock.now() + DAY_MS, 'It is not refreshed for a month.');
    assert.ok(verifyDueAt !== null, 'It is never verified.');
  });

  test('does not put off what somebody connects again meanwhile', async () => {
    const { team, at, headers } = await stage.connected();
    await stage.contain(headers, { provider: PROVIDER });
    stage.clock.advance(1_000);
    const held = holdAnswer(stage.app.database, 'scan', 'order by id');
    const running = stage.app.integrations.containments.doDue();
    await held.answered;
    await at.connect(PROVIDER, stage.newAccount());
    held.release();
    await running;
    const { refreshDueAt, verifyDueAt } = await stage.row(team.id, PROVIDER);
    assert.ok((refreshDueAt ?? 0) < stage.clock.now() + DAY_MS, 'What is connected afterward works, for an hour.');
    assert.ok(verifyDueAt !== null);
  });
});
