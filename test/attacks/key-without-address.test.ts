// Attack: enter something that makes the provider's address impossible. That's no bug of ours to be woken up for.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { openKeysStage } from '../harness/keys-stage.ts';
import { useStage } from '../harness/use-stage.ts';

describe('what was entered', () => {
  const stage = useStage(() => openKeysStage('sqlite'));
  afterEach(async () => {
    stage.mend();
    await stage.removeConnections();
  });

  for (const username of ['.', '..'])
    test(`is refused if it cannot be part of an address: ${username}`, async () => {
      const { member } = await stage.newTeam();
      const reply = await stage.put(member.headers, 'keyed-account', { fields: { username, password: 'x' } });
      assert.equal(reply.status, 400, reply.body);
      assert.deepEqual(JSON.parse(reply.body).errors, [
        { path: 'body.fields.username', message: "can't be part of an address" },
      ]);
      assert.deepEqual(stage.api.received, []);
    });

  test('is not asked about every minute once an entry has changed', async () => {
    const { admin, team, at } = await stage.newTeam();
    await stage.connectKey(admin.headers, 'keyed-site', {
      fields: { api_key: stage.newKey() },
      params: { site: 'north' },
    });
    const { id } = await stage.row(team.id, 'keyed-site');
    await stage.app.database.run("update connections set details = '{}', verify_due_at = 1 where id = $1", [id]);
    await stage.app.integrations.verifyDue();
    const { verifyDueAt } = await stage.row(team.id, 'keyed-site');
    assert.ok((verifyDueAt ?? 0) > stage.clock.now() + 30 * 60_000);
    assert.equal((await at.status('keyed-site')).status, 'connected');
  });
});
