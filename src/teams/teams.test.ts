import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createTestApp, SECRETS, type TestApp } from '../../test/harness/app.ts';
import { onEachEngine } from '../../test/harness/databases.ts';
import { holdAnswer, holdTransaction } from '../../test/harness/hold-database.ts';
import { runTogether } from '../../test/harness/run-together.ts';
import { openSession } from '../../test/harness/sessions.ts';
import { useStage } from '../../test/harness/use-stage.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { COMMAND_LINE } from './index.ts';
import { deleteExpired } from './records/credential-store.ts';
import { handlePruneCredentials } from './tokens/prune-credentials.job.ts';

type Team = Awaited<ReturnType<TestApp['createTeam']>>;

onEachEngine('teams', (engine) => {
  const house = useStage(() => createTestApp(engine));
  let team: Team;
  let made = 0;

  beforeEach(async () => {
    team = await house.createTeam(`acme${++made}`);
  });

  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers: object, body?: object) => {
    const response = await house.server.inject({
      method,
      url,
      headers: { ...headers },
      ...(body ? { payload: body } : {}),
    });
    return { status: response.statusCode, body: response.body === '' ? null : response.json() };
  };

  test('members can read the team settings; only admins can change them, one field at a time', async () => {
    assert.equal((await call('GET', '/api/team', team.member.headers)).body.team.name, team.team.name);
    assert.equal((await call('PATCH', '/api/team', team.member.headers, { name: 'x' })).status, 403);
    const closed = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
    const change = {
      timeZone: 'Europe/Berlin',
      businessHours: { monday: [{ opens: '09:00', closes: '24:00' }], ...closed },
    };
    const changed = await call('PATCH', '/api/team', team.admin.headers, change);
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.team.businessHours.monday, [{ opens: '09:00', closes: '24:00' }]);
    assert.deepEqual((await call('GET', '/api/team', team.member.headers)).body, changed.body);
    assert.equal(changed.body.team.name, team.team.name);
    assert.deepEqual(changed.body.team.retention, { recordingDays: null, payloadDays: 30 });
  });

  test('two changes of the settings at the same moment are both kept', async () => {
    const change = (body: object) => () => call('PATCH', '/api/team', team.admin.headers, body);
    const both = [change({ name: 'Renamed' }), change({ timeZone: 'Europe/Berlin' })] as const;
    for (const { status } of await runTogether(house.app.database, 'teams', both)) assert.equal(status, 200);
    const { name, timeZone } = (await call('GET', '/api/team', team.admin.headers)).body.team;
    assert.deepEqual([name, timeZone], ['Renamed', 'Europe/Berlin']);
  });

  test('invalid settings are rejected, and the error names the field', async () => {
    const closed = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
    const overlapping = [
      { opens: '09:00', closes: '12:00' },
      { opens: '11:00', closes: '13:00' },
    ];
    const cases: [object, string][] = [
      [{ timeZone: 'Mars/Olympus' }, 'body.timeZone'],
      [{ timeZone: '+02:00' }, 'body.timeZone'],
      [{ businessHours: { monday: overlapping, ...closed } }, 'body.businessHours.monday'],
      [{ businessHours: { monday: [] } }, 'body.businessHours'],
      [{ businessHours: { monday: [], ...closed } }, 'body.businessHours'],
      [{ businessHours: { monday: [{ opens: '', closes: '' }], ...closed } }, 'body.businessHours.monday'],
      [{ reportRecipients: ['not an address'] }, 'body.reportRecipients.0'],
      [{ retention: { recordingDays: 0, payloadDays: 1 } }, 'body.retention.recordingDays'],
      [{ owner: 'me' }, 'body.owner'],
      [{ name: '   ' }, 'body.name'],
    ];
    for (const [change, place] of cases) {
      const { status, body } = await call('PATCH', '/api/team', team.admin.headers, change);
      assert.equal(status, 400, JSON.stringify(change));
      assert.ok(body.errors[0].path.startsWith(place), `${JSON.stringify(change)}: ${body.errors[0].path}`);
    }
  });

  test('an invited member signs in by link; inviting them again before that makes a new link', async () => {
    const invite = { email: 'New@Acme.example', role: 'admin' };
    const first = await call('POST', '/api/members', team.admin.headers, invite);
    assert.equal(first.status, 201);
    assert.equal(first.body.member.email, 'new@acme.example');
    assert.match(first.body.signInLink, /^http:\/\/localhost:3000\/sign-in\//);
    const again = await call('POST', '/api/members', team.admin.headers, invite);
    assert.equal(again.body.member.id, first.body.member.id);
    const signedIn = await house.server.inject({ method: 'POST', url: new URL(again.body.signInLink).pathname });
    assert.equal(signedIn.statusCode, 303);
    const third = await call('POST', '/api/members', team.admin.headers, invite);
    assert.equal(third.body.code, 'teams.member_exists');
  });

  test('no link is made for a member who signs in while being invited again', async () => {
    const { database } = house.app;
    const invite = { email: 'arriving@acme.example' };
    const { id } = (await call('POST', '/api/members', team.admin.headers, invite)).body.member;
    const locked = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const arriving = database.transaction(async (tx) => {
      await tx.get('select id from users where id = $1 for update', [id]);
      locked.resolve();
      await asked.promise;
      await tx.run('update users set signed_in_at = 1 where id = $1', [id]);
    });
    await locked.promise;
    const inviting = call('POST', '/api/members', team.admin.headers, invite);
    if (engine === 'postgresql')
      await waitUntil('the invitation waits for the arrival', async () => {
        const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return (await database.all(waiting)).length > 0;
      });
    asked.resolve();
    await arriving;
    assert.equal((await inviting).body.code, 'teams.member_exists');
  });

  test('of two links that the operator makes for a user at the same moment, one works', async () => {
    const make = () => house.app.teams.members.makeLink(team.member.user, COMMAND_LINE);
    const links = await runTogether(house.app.database, 'sign_in_links', [make, make]);
    const statuses = [];
    for (const { address } of links)
      statuses.push((await house.server.inject({ url: new URL(address).pathname })).statusCode);
    assert.deepEqual(statuses, [410, 200]);
  });

  test('someone from another team can be invited, and becomes a user of both teams', async () => {
    const other = await house.createTeam('other');
    const { status, body } = await call('POST', '/api/members', team.admin.headers, {
      email: other.member.user.email ?? '',
    });
    assert.equal(status, 201);
    assert.notEqual(body.member.id, other.member.user.id);
    assert.equal(body.member.signedInAt, null);
  });

  test('removing a member ends their sessions and tokens at once; they can be invited again', async () => {
    const { id, email } = team.member.user;
    assert.equal((await call('DELETE', `/api/members/${id}`, team.member.headers)).status, 403);
    assert.equal((await call('DELETE', `/api/members/${id}`, team.admin.headers)).status, 204);
    assert.equal((await call('GET', '/api/team', team.member.headers)).status, 401);
    assert.equal((await call('GET', '/api/members', team.admin.headers)).body.members.length, 1);
    assert.equal((await call('DELETE', `/api/members/${id}`, team.admin.headers)).status, 404);
    assert.equal((await call('POST', '/api/members', team.admin.headers, { email })).status, 201);
  });

  test('a team keeps its last admin, even if two are removed at the same time', async () => {
    const { id } = team.admin.user;
    assert.equal((await call('DELETE', `/api/members/${id}`, team.admin.headers)).body.code, 'teams.last_admin');
    assert.equal(
      (await call('PATCH', `/api/members/${id}`, team.admin.headers, { role: 'member' })).body.code,
      'teams.last_admin',
    );
    assert.equal(
      (await call('PATCH', `/api/members/${id}`, team.admin.headers, { name: 'Chief' })).body.member.name,
      'Chief',
    );
    const second = team.member.user.id;
    assert.equal((await call('PATCH', `/api/members/${second}`, team.admin.headers, { role: 'admin' })).status, 200);
    const outcomes = await Promise.all([
      call('DELETE', `/api/members/${id}`, team.admin.headers),
      call('DELETE', `/api/members/${second}`, team.admin.headers),
    ]);
    assert.ok(
      outcomes.every(({ status }) => status < 500),
      JSON.stringify(outcomes.map(({ status }) => status)),
    );
    const admins = await house.app.database.all(
      'select id from users where team_id = $1 and role = $2 and removed_at is null',
      [team.team.id, 'admin'],
    );
    assert.equal(admins.length, 1, JSON.stringify(outcomes.map(({ status }) => status)));
  });

  test('a role change applies to the next request', async () => {
    assert.equal((await call('PATCH', '/api/team', team.member.headers, { name: 'x' })).status, 403);
    await call('PATCH', `/api/members/${team.member.user.id}`, team.admin.headers, { role: 'admin' });
    assert.equal((await call('PATCH', '/api/team', team.member.headers, { name: 'x' })).status, 200);
  });

  test('an access token is shown once, stored as a digest, listed without its secret, and revoked at once', async () => {
    const made = await call('POST', '/api/tokens', team.member.headers, { name: 'laptop', expiresInDays: 7 });
    assert.equal(made.status, 201);
    const secret = made.body.token.split('_').slice(2).join('_');
    const headers = { authorization: `Bearer ${made.body.token}` };
    assert.equal((await call('GET', '/api/team', headers)).status, 200);
    const row = await house.app.database.get<{ digest: string }>('select * from access_tokens where id = $1', [
      made.body.id,
    ]);
    assert.ok(row && !JSON.stringify(row).includes(secret));
    const own = await call('GET', '/api/tokens', team.member.headers);
    assert.deepEqual(own.body.tokens.map(({ name }: { name: string }) => name).sort(), ['laptop', 'test']);
    assert.ok(!JSON.stringify(own.body).includes(secret));
    assert.equal((await call('DELETE', `/api/tokens/${made.body.id}`, team.member.headers)).status, 204);
    assert.equal((await call('GET', '/api/team', headers)).status, 401);
  });

  test('an access token that is created with another one does not outlive it', async () => {
    const day = await call('POST', '/api/tokens', team.member.headers, { name: 'for a day', expiresInDays: 1 });
    const headers = { authorization: `Bearer ${day.body.token}` };
    const longer = await call('POST', '/api/tokens', headers, { name: 'for longer', expiresInDays: 2 });
    assert.deepEqual([longer.status, longer.body.code], [409, 'teams.token_too_long']);
    assert.ok(longer.body.detail.includes(day.body.expiresAt), longer.body.detail);
    const child = await call('POST', '/api/tokens', headers, { name: 'as long' });
    assert.deepEqual([child.status, child.body.expiresAt], [201, day.body.expiresAt]);
    const { tokens } = (await call('GET', '/api/tokens', headers)).body;
    assert.ok(!tokens.some(({ name }: { name: string }) => name === 'for longer'));
    const session = await openSession(house, team.member.user);
    const own = { ...session.headers, 'x-csrf-token': session.csrfToken };
    const year = await call('POST', '/api/tokens', own, { name: 'for a year', expiresInDays: 366 });
    assert.equal(year.status, 201);
  });

  test('the last use of a token and of a session is kept, once a minute', async (context) => {
    const now = Date.now();
    context.mock.timers.enable({ apis: ['Date'], now });
    const { headers } = await openSession(house, team.member.user);
    const use = async (as: object, ms: number): Promise<void> => {
      context.mock.timers.setTime(now + ms);
      assert.equal((await call('GET', '/api/team', as)).status, 200);
    };
    for (const [table, as] of [
      ['access_tokens', team.member.headers],
      ['sessions', headers],
    ] as const) {
      const usedAt = async () =>
        (
          await house.app.database.get<{ at: number | null }>(`select used_at as at from ${table} where user_id = $1`, [
            team.member.user.id,
          ])
        )?.at;
      await use(as, 120_000);
      await waitUntil('the use is kept', async () => (await usedAt()) === now + 120_000);
      await use(as, 150_000);
      await use(as, 181_000);
      await waitUntil('the next use is kept', async () => (await usedAt()) === now + 181_000);
    }
    assert.deepEqual(
      house.lines.filter(({ message }) => message.startsWith('the last use of')),
      [],
    );
  });

  test('a use that cannot be kept is in the log, and the request succeeds', async () => {
    const { database } = house.app;
    const { run } = database;
    const fail: typeof run = (text, values) =>
      text.startsWith('update access_tokens set used_at') ? Promise.reject(new Error('refused')) : run(text, values);
    Object.assign(database, { run: fail });
    assert.equal((await call('GET', '/api/team', team.admin.headers)).status, 200);
    Object.assign(database, { run });
    const line = house.lines.find(({ message }) => message === 'the last use of a token was not saved');
    assert.equal(line?.level, 'warn');
  });

  test('a token that is looked up while it is revoked is not remembered', async (context) => {
    const { database } = house.app;
    const { token, id } = (await call('POST', '/api/tokens', team.member.headers, { name: 'lost' })).body;
    const headers = { authorization: `Bearer ${token}` };
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const lookUp = holdAnswer(database, 'get', 'from access_tokens c');
    const asked = call('GET', '/api/team', headers);
    await lookUp.answered;
    assert.equal((await call('DELETE', `/api/tokens/${id}`, team.member.headers)).status, 204);
    lookUp.release();
    await asked;
    assert.equal((await call('GET', '/api/team', headers)).status, 401);
  });

  test('a token that is used until the moment of its revocation is not remembered', async (context) => {
    const { token, id } = (await call('POST', '/api/tokens', team.member.headers, { name: 'lost' })).body;
    const headers = { authorization: `Bearer ${token}` };
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const held = holdTransaction(house.app.database);
    const revoking = call('DELETE', `/api/tokens/${id}`, team.member.headers);
    await held.worked;
    assert.equal((await call('GET', '/api/team', headers)).status, 200);
    held.release();
    assert.equal((await revoking).status, 204);
    assert.equal((await call('GET', '/api/team', headers)).status, 401);
  });

  test('a token that two revoke at the same moment is revoked once, and recorded once', async () => {
    const { id } = (await call('POST', '/api/tokens', team.admin.headers, { name: 'short' })).body;
    const revoke = () => call('DELETE', `/api/tokens/${id}`, team.admin.headers);
    const replies = await runTogether(house.app.database, 'access_tokens', [revoke, revoke]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 404],
    );
    const entries = await house.app.database.all(
      `select id from audit_events where action = 'token.revoke' and target = $1`,
      [id],
    );
    assert.equal(entries.length, 1);
  });

  test("a member neither sees nor revokes another's token; an admin does both", async () => {
    const admins = (await call('GET', '/api/tokens', team.admin.headers)).body.tokens;
    assert.equal(admins.length, 2);
    const adminToken = admins.find(({ user }: { user: { id: string } }) => user.id === team.admin.user.id);
    assert.equal((await call('DELETE', `/api/tokens/${adminToken.id}`, team.member.headers)).status, 404);
    const members = (await call('GET', '/api/tokens', team.member.headers)).body.tokens;
    assert.equal((await call('DELETE', `/api/tokens/${members[0].id}`, team.admin.headers)).status, 204);
  });

  test('a revocation in another process works within a second', async (context) => {
    assert.equal((await call('GET', '/api/team', team.member.headers)).status, 200);
    await house.app.database.run('delete from access_tokens where user_id = $1', [team.member.user.id]);
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 1_000 });
    assert.equal((await call('GET', '/api/team', team.member.headers)).status, 401);
  });

  test('a revocation in another process also works if the clock was set back', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    assert.equal((await call('GET', '/api/team', team.admin.headers)).status, 200);
    context.mock.timers.setTime(Date.now() - 3_600_000);
    assert.equal((await call('GET', '/api/team', team.admin.headers)).status, 200);
    context.mock.timers.setTime(Date.now() - 3_600_000);
    await house.app.database.run('delete from access_tokens where user_id = $1', [team.admin.user.id]);
    assert.equal((await call('GET', '/api/team', team.admin.headers)).status, 401);
  });

  test("the admin token acts as the first team's admin, and a similar token is rejected", async () => {
    const headers = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
    assert.equal((await call('GET', '/api/team', headers)).body.team.name, 'First team');
    assert.equal((await call('GET', '/api/members', headers)).body.members[0].email, 'admin@localhost');
    assert.equal(
      (await call('GET', '/api/team', { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}x` })).status,
      401,
    );
  });

  test('the audit log names the changed fields, and has no entry for a save without a change', async () => {
    const { name, timeZone, retention } = (await call('GET', '/api/team', team.admin.headers)).body.team;
    const changes = async () => {
      const { events } = (await call('GET', '/api/audit', team.admin.headers)).body;
      return events.flatMap((event: { action: string; detail: { fields: string[] } }) =>
        event.action === 'team.change' ? [event.detail.fields] : [],
      );
    };
    for (const unchanged of [{}, { name }, { name, timeZone, retention, businessHours: null }])
      assert.equal((await call('PATCH', '/api/team', team.admin.headers, unchanged)).status, 200);
    assert.deepEqual(await changes(), []);
    const change = { name, timeZone: 'Europe/Berlin', retention: { ...retention, payloadDays: 7 } };
    const { body } = await call('PATCH', '/api/team', team.admin.headers, change);
    assert.deepEqual([body.team.timeZone, body.team.retention.payloadDays], ['Europe/Berlin', 7]);
    assert.deepEqual(await changes(), [['timeZone', 'retention']]);
  });

  test('the audit log shows the address of a request to admins only', async () => {
    await call('PATCH', '/api/team', team.admin.headers, { name: 'somewhere' });
    const read = async (headers: Record<string, string>) => (await call('GET', '/api/audit', headers)).body.events;
    const addresses = async (headers: Record<string, string>) =>
      new Set((await read(headers)).map(({ address }: { address: string | null }) => address));
    assert.ok((await addresses(team.admin.headers)).has('127.0.0.1'));
    assert.deepEqual([...(await addresses(team.member.headers))], [null]);
    assert.equal((await read(team.member.headers)).length, (await read(team.admin.headers)).length);
  });

  test('the audit log shows who changed what, page by page, and nothing from another team', async () => {
    const other = await house.createTeam('other');
    await call('PATCH', '/api/team', other.admin.headers, { name: 'unseen' });
    for (const name of ['a', 'b', 'c']) await call('PATCH', '/api/team', team.admin.headers, { name });
    const first = await call('GET', '/api/audit?limit=2', team.member.headers);
    assert.deepEqual(
      first.body.events.map(({ action }: { action: string }) => action),
      ['team.change', 'team.change'],
    );
    assert.equal(first.body.events[0].actor.id, team.admin.user.id);
    const second = await call('GET', `/api/audit?limit=100&cursor=${first.body.nextCursor}`, team.member.headers);
    assert.deepEqual(
      second.body.events.map(({ action }: { action: string }) => action),
      ['team.change', 'token.create', 'token.create'],
    );
    assert.equal(second.body.nextCursor, null);
    assert.equal(
      (await call('GET', '/api/audit?cursor=bm90LW91cnM', team.member.headers)).body.code,
      'teams.cursor_invalid',
    );
  });

  test('expired credentials are pruned after a day, in which lists still show them', async () => {
    const { database, clock } = house.app;
    const hoursAgo = { old: 25, recent: 23 };
    for (const [name, hours] of Object.entries(hoursAgo)) {
      const { id } = (await call('POST', '/api/tokens', team.member.headers, { name })).body;
      const expiredAt = clock.now() - hours * 3_600_000;
      await database.run('update access_tokens set expires_at = $1 where id = $2', [expiredAt, id]);
    }
    await handlePruneCredentials({ database, clock })();
    const { tokens } = (await call('GET', '/api/tokens', team.member.headers)).body;
    assert.deepEqual(tokens.map(({ name }: { name: string }) => name).sort(), ['recent', 'test']);
  });

  test('expired credentials are pruned, and nothing else', async () => {
    const expired = await call('POST', '/api/tokens', team.member.headers, { name: 'old' });
    await house.app.database.run('update access_tokens set expires_at = $1 where id = $2', [1_000, expired.body.id]);
    await deleteExpired(house.app.database, 2_000);
    assert.equal((await call('GET', '/api/tokens', team.admin.headers)).body.tokens.length, 2);
  });
});
