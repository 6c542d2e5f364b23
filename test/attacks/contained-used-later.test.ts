// Attack: what is contained is used nevertheless, by work that had read the connection before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

onEachEngine('a contained connection', (engine) => {
  const stage = useStage(() => openContainmentStage(engine));

  test('is not due all the time from the second day on, before what still works', async () => {
    const { team, headers } = await stage.connected();
    await stage.contain(headers, { provider: PROVIDER });
    await stage.doDue();
    stage.clock.advance(DAY_MS + HOUR_MS);
    const { integrations } = stage.app;
    for (let run = 0; run < 3; run++) {
      await integrations.refreshDue();
      await integrations.verifyDue();
      await stage.doDue();
    }
    const row = await stage.row(team.id, PROVIDER);
    const now = stage.clock.now();
    assert.ok((row.refreshDueAt ?? 0) > now, `refresh: due since ${(now - (row.refreshDueAt ?? 0)) / 60_000} min.`);
    assert.equal(row.verifyDueAt, null);
  });

  test('is not made due by lifting one of two containments', async () => {
    const { team, headers } = await stage.connected();
    await stage.contain(headers, { provider: PROVIDER });
    const id = await stage.contain(OPERATOR, { provider: PROVIDER, team: team.id });
    await stage.doDue();
    await stage.lift(OPERATOR, id);
    await stage.doDue();
    await stage.app.integrations.refreshDue();
    const row = await stage.row(team.id, PROVIDER);
    assert.ok(row.containedBy !== null);
    assert.ok((row.refreshDueAt ?? 0) > stage.clock.now(), 'It is due, and nobody may refresh it.');
  });

  test('is not refreshed by a refresh that was waiting for a lock, or for the issuer', async () => {
    const { team, at, headers } = await stage.connected('short');
    await at.connect('acme', stage.newAccount());
    stage.clock.advance(DAY_MS);
    await stage.app.database.run(
      'update connections set expires_at = $2, refresh_due_at = $2 where team_id = $1 and provider = $3',
      [team.id, stage.clock.now(), 'acme'],
    );
    const held = stage.oauth.hold('discovery', 'before');
    const refreshes = stage.oauth.count('refresh');
    const asking = at.refusedToken('acme', 409);
    await held.arrived;
    await stage.contain(headers, { provider: 'acme' });
    held.release();
    assert.equal((await asking).code, 'integrations.contained');
    assert.equal(stage.oauth.count('refresh') - refreshes, 0, 'It was refreshed after the containment.');
    stage.oauth.mend();
  });
});
