// Attack: a refresh that waits for the connection's row begins after the containment.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openContainmentStage, PROVIDER } from '../harness/containment-stage.ts';
import { holdLock, isOneWaiting } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('a refresh that waits for a lock (postgresql)', () => {
  const stage = useStage(() => openContainmentStage('postgresql'));

  test('is not begun if the connection was contained meanwhile', async () => {
    const { team, at, headers } = await stage.connected();
    const { database } = stage.app;
    const due = 'update connections set expires_at = $2, refresh_due_at = $2 where team_id = $1';
    await database.run(due, [team.id, stage.clock.now()]);
    const held = await holdLock(database, 'select id from connections where team_id = $1 for update', [team.id]);
    const refreshes = stage.oauth.count('refresh');
    const asking = at.refusedToken(PROVIDER, 409);
    await waitUntil('it waits', () => isOneWaiting(database), 5_000);
    const other = await stage.openOther();
    const begun = await other.ask('POST', '/api/containments', headers, { reason: 'leaked', provider: PROVIDER });
    assert.equal(begun.status, 201, begun.body);
    await held.release();
    assert.equal((await asking).code, 'integrations.contained');
    assert.equal(stage.oauth.count('refresh') - refreshes, 0, 'It was refreshed after the containment.');
    assert.equal((await stage.row(team.id, PROVIDER)).leaseUntil, null, 'Nobody waits for it.');
  });
});
