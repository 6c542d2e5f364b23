// Attack: a scheduled verification that waits for the connection's row sends the key after the containment.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OPERATOR } from '../harness/customers.ts';
import { holdLock, isOneWaiting } from '../harness/hold-database.ts';
import { openKeysStage } from '../harness/keys-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('the verification of a key that waits for a lock (postgresql)', () => {
  const stage = useStage(() => openKeysStage('postgresql'));

  test('is not sent if the connection was contained meanwhile', async () => {
    const { team, admin } = await stage.newTeam();
    const { database, integrations } = stage.app;
    await stage.connectKey(admin.headers, 'keyed', { fields: { api_key: stage.newKey() } });
    stage.clock.advance(60_000);
    await database.run('update connections set verify_due_at = $2, used_at = null where team_id = $1', [
      ...[team.id, stage.clock.now()],
    ]);
    const held = await holdLock(database, 'select id from connections where team_id = $1 for update', [team.id]);
    const received = stage.verifications();
    const verifying = integrations.verifyDue();
    await waitUntil('it waits', () => isOneWaiting(database), 5_000);
    const other = await stage.openOther();
    const asked = { reason: 'leaked', provider: 'keyed' };
    assert.equal((await other.ask('POST', '/api/operator/containments', OPERATOR, asked)).status, 201);
    await held.release();
    await verifying;
    assert.equal(stage.verifications() - received, 0, 'The key was sent after the containment.');
  });
});
