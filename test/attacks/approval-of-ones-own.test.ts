import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openApprovalsStage } from '../harness/approvals-stage.ts';
import { onOneEngine } from '../harness/databases.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { useStage } from '../harness/use-stage.ts';

const ASKING = { allow: [{ provider: 'acme-full', connection: 'default' }], writes: 'ask' };

onOneEngine('a restricted token that asks', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  test('cannot approve or refuse, neither its own request nor another one', async () => {
    const { token, headers } = await stage.asking({
      can: ['status', 'connect', 'calls', 'recordings', 'reports', 'events'],
    });
    const other = await makeToken(stage.server, headers, ASKING);
    const id = await stage.park(token);
    for (const bearer of [token, other])
      for (const decide of [stage.approve, stage.refuse]) {
        const answer = await decide(id, bearer);
        assert.deepEqual([answer.status, answer.json.code], [403, 'tokens.not_allowed']);
      }
    assert.equal((await stage.approval(id, headers)).state, 'waiting');
    assert.equal(stage.api.received.length, 0);
  });

  test('cannot make a token that could', async () => {
    const { token } = await stage.asking();
    const made = await stage.server.inject({
      method: 'POST',
      url: '/api/tokens',
      headers: token,
      payload: { name: 'x' },
    });
    assert.equal(made.statusCode, 403, made.body);
  });

  test("sees its own approvals without headers and body, and nobody else's", async () => {
    const { token, headers } = await stage.asking();
    const other = await makeToken(stage.server, headers, ASKING);
    const [mine, theirs] = [await stage.park(token), await stage.park(other)];
    const listed = await stage.ask('GET', '/api/approvals', token);
    assert.deepEqual(
      listed.json.approvals.map(({ id }: { id: string }) => id),
      [mine],
    );
    const own = await stage.approval(mine, token);
    assert.ok(!('headers' in own) && !('body' in own) && !('to' in own));
    for (const path of [theirs, `${theirs}/response`]) {
      const answer = await stage.ask('GET', `/api/approvals/${path}`, token);
      assert.deepEqual([answer.status, answer.json.code], [404, 'approvals.unknown'], path);
    }
    await stage.approve(theirs, headers);
    assert.equal((await stage.respond(theirs, token)).json.code, 'approvals.unknown');
    assert.equal((await stage.respond(theirs, other)).status, 200);
  });

  test('shows its response to no admin, not even to the one who approved', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    await stage.approve(id, headers);
    const answer = await stage.respond(id, headers);
    assert.deepEqual([answer.status, answer.json.code], [403, 'approvals.token_only']);
  });

  test('sees nothing once its maker is no longer an admin', async () => {
    const { token, headers, admin, member } = await stage.asking();
    const id = await stage.park(token);
    await stage.approve(id, headers);
    const change = (person: string, role: string, by: Record<string, string>) =>
      stage.server.inject({ method: 'PATCH', url: `/api/members/${person}`, headers: by, payload: { role } });
    assert.equal((await change(member.user.id, 'admin', headers)).statusCode, 200);
    assert.equal((await change(admin.user.id, 'member', member.headers)).statusCode, 200);
    for (const path of ['', `/${id}`, `/${id}/response`])
      assert.equal((await stage.ask('GET', `/api/approvals${path}`, token)).status, 403, path);
  });

  test('reads in the log of events that something was asked, and not what', async () => {
    const { token, headers } = await stage.asking();
    await stage.park(token, 'secret-path?password=hunter2');
    const reader = await makeToken(stage.server, headers, { can: ['events'] });
    const { events } = (await stage.ask('GET', '/api/events?type=approval.requested', reader)).json;
    assert.deepEqual(
      events.map(({ data }: { data: object }) => data),
      [{ withheld: true }],
    );
    const one = await stage.ask('GET', `/api/events/${events[0].id}`, reader);
    assert.deepEqual([one.status, one.json.data], [200, { withheld: true }]);
    const { body } = await stage.ask('GET', '/api/events?type=approval.requested', headers);
    assert.match(body, /secret-path/);
    assert.doesNotMatch(body, /hunter2/, 'Endpoints are sent the event, so it has no query.');
  });

  test('are alerts for admins alone, whom no member deprives of them', async () => {
    const { token, headers, member } = await stage.asking();
    await stage.park(token);
    await stage.app.notices.alerts.look();
    const list = async (who: Record<string, string>) => (await stage.ask('GET', '/api/events/alerts', who)).json.open;
    const [alert] = await list(headers);
    assert.equal(alert.kind, 'approval');
    assert.deepEqual(await list(member.headers), []);
    const dismiss = (who: Record<string, string>) => stage.ask('POST', `/api/events/alerts/${alert.id}/dismiss`, who);
    assert.equal((await dismiss(member.headers)).status, 404);
    assert.equal((await list(headers)).length, 1);
    assert.equal((await dismiss(headers)).status, 204);
  });

  test('that does not ask sees no approvals at all', async () => {
    const { token, headers } = await stage.asking();
    await stage.park(token);
    const plain = await makeToken(stage.server, headers, { allow: ASKING.allow });
    assert.equal((await stage.ask('GET', '/api/approvals', plain)).json.code, 'tokens.not_allowed');
    assert.equal((await stage.send(plain)).status, 403);
  });

  test('asks only about the connections and hosts in its list', async () => {
    const { token, at, headers } = await stage.asking();
    await at.connect('acme-full', stage.newAccount(), { connection: 'work' });
    const elsewhere = ['repos?connection=work', 'repos?patchbay-host=uploads'];
    for (const path of elsewhere) assert.equal((await stage.send(token, path)).status, 403, path);
    assert.equal((await stage.send(token, 'repos', { headers: { 'Patchbay-Host': 'uploads' } })).status, 403);
    const other = await stage.call('/api/integrations/acme-plain/proxy/repos', { method: 'POST', headers: token });
    assert.equal(other.status, 403);
    assert.deepEqual((await stage.ask('GET', '/api/approvals', headers)).json.approvals, []);
  });

  test('asks for nothing that a server may read as another request than it looks', async () => {
    const { token } = await stage.asking();
    for (const name of ['X-HTTP-Method-Override', 'X-Original-URL'])
      assert.equal((await stage.send(token, 'repos', { headers: { [name]: 'DELETE' } })).status, 403, name);
    assert.equal((await stage.send(token, 'repos?_method=DELETE')).status, 403);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await stage.send(token, 'repos', { headers: form, body: '_method=DELETE' })).status, 403);
    for (const path of ['a/../b', 'a/%2e%2e/b', '/other.example/x'])
      assert.equal((await stage.send(token, path)).status, 400, path);
  });
});

onOneEngine('approvals of a team', (engine) => {
  const stage = useStage(() => openApprovalsStage(engine));
  beforeEach(() => stage.api.reset());

  test('are for its admins, and not for members, other teams, connect sessions, or strangers', async () => {
    const { token, member } = await stage.asking();
    const stranger = await stage.newTeam();
    const id = await stage.park(token);
    const attempts = (headers: Record<string, string>) =>
      Promise.all([
        stage.ask('GET', `/api/approvals/${id}`, headers),
        stage.approve(id, headers),
        stage.refuse(id, headers),
        stage.ask('GET', `/api/approvals/${id}/response`, headers),
      ]);
    for (const { status } of await attempts(member.headers)) assert.equal(status, 403);
    for (const { status } of (await attempts(stranger.admin.headers)).slice(0, 3)) assert.equal(status, 404);
    for (const { status } of await attempts({})) assert.equal(status, 401);
    assert.deepEqual((await stage.ask('GET', '/api/approvals', stranger.admin.headers)).json.approvals, []);
    assert.equal((await stage.ask('GET', '/api/approvals', member.headers)).status, 403);
    assert.equal(stage.api.received.length, 0);
  });

  test('are never decided by a GET', async () => {
    const { token, headers } = await stage.asking();
    const id = await stage.park(token);
    for (const path of [
      `/approvals/${id}`,
      `/approvals/${id}/approve`,
      `/api/approvals/${id}/approve`,
      `/approvals/${id}?done=approved`,
    ])
      await stage.ask('GET', path, headers);
    assert.equal((await stage.approval(id, headers)).state, 'waiting');
    assert.equal(stage.api.received.length, 0);
  });
});
