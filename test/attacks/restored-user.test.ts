import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectConnected, expectParked, expectRefused, startConnectStage } from '../harness/connect-flow.ts';
import { asCustomer, createConnectSession, OPERATOR, putCustomer } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { cookieFrom } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const USER = 'back-again';

onEachEngine('what a user had before they were removed and restored', (engine) => {
  const flow = useStage(() => startConnectStage(engine));
  const database = prepare(async () => flow.stage.app.database);

  const ask = async (method: 'PUT' | 'DELETE', team: string, user = USER) => {
    const url = `/api/operator/teams/${team}/users/${user}`;
    const payload = method === 'PUT' ? { payload: {} } : {};
    const { statusCode, body } = await flow.stage.server.inject({ method, url, headers: OPERATOR, ...payload });
    assert.equal(statusCode, method === 'PUT' ? 200 : 204, body);
  };

  const removeAndRestore = async (team: string): Promise<void> => {
    await ask('DELETE', team);
    flow.clock.advance(1_000);
    await ask('PUT', team);
    flow.clock.advance(1_000);
  };

  const openTeam = async (team: string) => {
    await putCustomer(flow.stage, team);
    return createConnectSession(flow.stage, team, { user: USER });
  };

  test('lets nobody in: no session, no access token, no hosted page', async () => {
    const session = await openTeam('credentials');
    const asUser = asCustomer('credentials', USER);
    const made = await flow.stage.server.inject({
      ...{ method: 'POST', url: '/api/tokens', payload: { name: 'old' }, ...asUser },
    });
    const token = { authorization: `Bearer ${made.json().token}` };
    const { page: otherPage } = await createConnectSession(flow.stage, 'credentials', { user: USER });
    const ticket = new URL(otherPage, 'http://localhost').searchParams.get('ticket') ?? '';
    const opened = await flow.stage.server.inject({
      method: 'POST',
      url: '/connect',
      payload: `ticket=${ticket}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const cookie = cookieFrom(opened.headers['set-cookie'], 'patchbay_page');
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 200);
    assert.equal((await flow.get('/api/integrations/status', token)).statusCode, 200);

    await removeAndRestore('credentials');
    for (const headers of [session.headers, token])
      expectRefused(await flow.get('/api/integrations/status', headers), 401, 'http.unauthorized');
    assert.equal((await flow.get('/connect', { cookie })).statusCode, 401);
    assert.equal((await flow.get(session.page)).statusCode, 410);
    assert.equal((await flow.get('/api/integrations/status', asUser.headers)).statusCode, 200);
  });

  test('lets nobody in if it was made in the very moment of the removal', async () => {
    const session = await openTeam('moment');
    const rows = await database.all<Record<string, string>>('select * from connect_sessions where user_id = $1', [
      session.user.id,
    ]);
    await ask('DELETE', 'moment');
    // What a removal on PostgreSQL can't see: rows of a transaction that ends while the removal waits for it.
    for (const row of rows) {
      const columns = Object.keys(row);
      const places = columns.map((_, index) => `$${index + 1}`);
      await database.run(`insert into connect_sessions (${columns}) values (${places})`, Object.values(row));
    }
    expectRefused(await flow.get('/api/integrations/status', session.headers), 401, 'http.unauthorized');
    await ask('PUT', 'moment');
    flow.clock.advance(1_000);
    expectRefused(await flow.get('/api/integrations/status', session.headers), 401, 'http.unauthorized');
    assert.equal((await flow.get(session.page)).statusCode, 410);
  });

  test('finishes no flow: not from the same browser, through its link, or once it was parked', async () => {
    const old = await openTeam('flows');
    const { authorizationUrl, connectUrl, cookie } = await flow.begin(old);
    const parked = expectParked(await flow.arrive(flow.consent((await flow.begin(old)).authorizationUrl)));
    await removeAndRestore('flows');

    const session = await createConnectSession(flow.stage, 'flows', { user: USER });
    assert.equal(session.user.id, old.user.id);
    const before = flow.exchanges();
    for (const headers of [{ cookie }, session.headers, { cookie, ...session.headers }])
      expectRefused(await flow.arrive(flow.consent(authorizationUrl), headers), 400, 'integrations.state_invalid');
    const { pathname, search } = new URL(connectUrl);
    expectRefused(await flow.get(`${pathname}${search}`), 410, 'integrations.ticket_invalid');
    expectRefused(await flow.complete(session, parked), 410, 'integrations.attempt_expired');
    assert.equal(flow.exchanges(), before);
    assert.equal(await flow.statusOf(asCustomer('flows')), 'disconnected');
  });

  test('leaves no connection if it all happens while the provider is being asked for tokens', async () => {
    const session = await openTeam('meanwhile');
    const { authorizationUrl, cookie } = await flow.begin(session);
    const { outbound } = flow.simulator;
    const { request } = outbound;
    let done = false;
    outbound.request = async (asked) => {
      const answer = await request(asked);
      if (!done) await removeAndRestore('meanwhile');
      done = true;
      return answer;
    };
    const answer = await flow.arrive(flow.consent(authorizationUrl), { cookie }).finally(() => {
      outbound.request = request;
    });
    assert.equal(done, true);
    assert.ok(answer.statusCode >= 400, answer.body);
    assert.equal(await flow.statusOf(asCustomer('meanwhile')), 'disconnected');
  });

  test('does not keep them from starting over, and the team has kept what they connected', async () => {
    const old = await openTeam('anew');
    const first = await flow.begin(old);
    expectConnected(await flow.arrive(flow.consent(first.authorizationUrl), { cookie: first.cookie }));
    await removeAndRestore('anew');
    assert.equal(await flow.statusOf(asCustomer('anew')), 'connected');
    const session = await createConnectSession(flow.stage, 'anew', { user: USER });
    const second = await flow.begin(session);
    expectConnected(await flow.arrive(flow.consent(second.authorizationUrl), { cookie: second.cookie }));
  });

  test('is not restored by anything but the operator’s own request', async () => {
    await openTeam('only');
    await ask('DELETE', 'only');
    const url = '/api/operator/teams/only/sessions';
    const payload = { user: { key: USER, name: 'New name' } };
    const again = await flow.stage.server.inject({ method: 'POST', url, headers: OPERATOR, payload });
    const { detail } = expectRefused(again, 409, 'operator.user_removed');
    assert.match(detail, /Restore them with PUT/);
    expectRefused(await flow.get('/api/team', asCustomer('only', USER).headers), 409, 'operator.user_removed');
    const row = await database.get<{ name: string }>('select name from users where subject = $1 and removed_at > 0', [
      USER,
    ]);
    assert.equal(row?.name, USER, 'Nor is a removed user changed.');
  });

  test('says nothing about users with the same key elsewhere', async () => {
    await openTeam('here');
    const there = await openTeam('there');
    const { id: teamId } = await putCustomer(flow.stage, 'here');
    await database.run(
      `insert into users (id, team_id, role, issuer, subject, created_at) values ('u-outside', $1, 'member', 'https://issuer.example', $2, 1)`,
      [teamId, USER],
    );
    await ask('DELETE', 'here');
    assert.equal((await flow.get('/api/integrations/status', there.headers)).statusCode, 200);
    const left = await database.all<{ id: string }>('select id from users where team_id = $1 and removed_at is null', [
      teamId,
    ]);
    assert.deepEqual(
      left.map(({ id }) => id),
      ['u-outside'],
    );
    await ask('DELETE', 'there');
    await ask('PUT', 'here');
    expectRefused(await flow.get('/api/team', asCustomer('there', USER).headers), 409, 'operator.user_removed');
  });
});
