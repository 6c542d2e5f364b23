// Attack: an admin whose session has ended (in another process) deletes an endpoint, or turns one on. That's refused, but
// what waits to be sent to it again is gone, without an entry in the audit log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { providerEvent } from '../harness/provider-events.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('an admin whose session has ended', (engine) => {
  const stage = useStage(() => createTestApp(engine));

  test('deletes nothing that waits to be sent again', async () => {
    const { app, server } = stage;
    const { team, admin } = await stage.createTeam('retries');
    const made = await server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers },
      payload: { url: 'http://127.0.0.1:9/' },
    });
    const { id } = made.json();
    await app.database.transaction(async (tx) => {
      const [event = ''] = await app.events.record(tx, providerEvent(team.id));
      await tx.run('insert into event_retries (endpoint_id, event_id, attempts, next_at) values ($1, $2, 1, $3)', [
        ...[id, event, Date.now() + 3_600_000],
      ]);
    });
    const ended = { kind: 'user', userId: admin.user.id, sessionId: 'ended', address: null, requestId: null } as const;
    const owner = { teamId: team.id, forOperator: false };
    const { endpoints } = app.events;
    const list = () => app.database.all('select event_id from event_retries where endpoint_id = $1', [id]);

    await assert.rejects(endpoints.remove(owner, ended, id), { status: 401 });
    await app.database.run("update event_endpoints set inactive_reason = 'gone', inactive_since = 1 where id = $1", [
      id,
    ]);
    await assert.rejects(endpoints.change(owner, ended, id, { active: true }), { status: 401 });
    assert.equal((await list()).length, 1);
    assert.equal((await endpoints.show(owner, id)).endpoint.inactiveReason, 'gone');

    const url = `/api/events/endpoints/${id}`;
    assert.equal((await server.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode, 204);
    assert.equal((await list()).length, 0);
  });
});
