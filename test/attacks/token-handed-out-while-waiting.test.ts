// Attack: a hand-out of a provider's access token waits for the connection's row, while its caller is removed or the
// account is disconnected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { countWaiting, holdLock, isOneWaiting } from '../harness/hold-database.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('a hand-out that waits for a lock (postgresql)', () => {
  const flow = useStage(() => startConnectStage('postgresql', { providers: { github: {} } }));
  let made = 0;

  const connected = async () => {
    const made_ = await flow.stage.createTeam(`handing-${++made}`);
    const begun = await flow.begin(made_.admin, 'github');
    expectConnected(await flow.arrive(flow.consent(begun.authorizationUrl), { cookie: begun.cookie }), 'github');
    return made_;
  };

  test('gives nothing to an admin who was removed meanwhile', async () => {
    const { app, server } = flow.stage;
    const { team, admin, member } = await connected();
    const url = `/api/members/${member.user.id}`;
    await server.inject({ method: 'PATCH', url, headers: admin.headers, payload: { role: 'admin' } });
    const held = await holdLock(app.database, 'select id from connections where team_id = $1 for update', [team.id]);
    const asking = flow.post('github/token', member.headers).then((answer) => answer);
    await waitUntil('the hand-out waits', () => isOneWaiting(app.database), 10_000);
    const removed = await server.inject({ method: 'DELETE', url, headers: admin.headers });
    assert.equal(removed.statusCode, 204, removed.body);
    await held.release();
    const given = await asking;
    assert.equal(given.statusCode, 401, 'An access token was handed out.');
  });

  test('gives nothing of an account that was disconnected meanwhile', async () => {
    const { app, server } = flow.stage;
    const { team, admin, member } = await connected();
    const url = `/api/members/${member.user.id}`;
    await server.inject({ method: 'PATCH', url, headers: admin.headers, payload: { role: 'admin' } });
    const held = await holdLock(app.database, 'select id from connections where team_id = $1 for update', [team.id]);
    const disconnecting = flow.post('github/disconnect', admin.headers).then((answer) => answer);
    await waitUntil('the disconnect waits', () => isOneWaiting(app.database), 10_000);
    const asking = flow.post('github/token', member.headers).then((answer) => answer);
    await waitUntil('both wait', async () => (await countWaiting(app.database)) === 2, 10_000);
    await held.release();
    const [disconnected, given] = [await disconnecting, await asking];
    assert.equal(disconnected.statusCode, 200, disconnected.body);
    assert.notEqual(given.statusCode, 200, `${disconnected.body}: an access token was handed out.`);
  });
});
