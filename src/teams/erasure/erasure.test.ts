import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock, SECRETS, type TestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { startIdentityProvider } from '../../../test/harness/identity-provider.ts';
import { makeLinkPath, openSession } from '../../../test/harness/sessions.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { COMMAND_LINE, hasSession } from '../index.ts';

const OPERATOR = { authorization: `Bearer ${SECRETS.PATCHBAY_OPERATOR_TOKEN}` };
const ADMIN = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };

const createOperator = (house: TestApp) => {
  const ask = async (method: 'GET' | 'PUT' | 'DELETE', key: string, payload?: object) => {
    const url = `/api/operator/teams/${encodeURIComponent(key)}`;
    const answer = await house.server.inject({ method, url, headers: OPERATOR, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json() };
  };
  return {
    put: (key: string) => ask('PUT', key, { name: `${key} Inc.` }),
    get: (key: string) => ask('GET', key),
    remove: (key: string) => ask('DELETE', key),
  };
};

onEachEngine('deleting a team', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const operator = createOperator(house);

  const run = () => house.app.erasure.eraseDue({}, { signal: new AbortController().signal });

  /** Creates a team with the usual members, and with a key, which only the operator's teams have. */
  const createKeyed = async (key: string) => {
    const made = await house.createTeam(key);
    await house.app.database.run('update teams set key = $2 where id = $1', [made.team.id, key]);
    return made;
  };

  const statusOf = async (headers: Record<string, string>, url = '/api/team') =>
    (await house.server.inject({ url, headers })).statusCode;

  test('ends every way in at once, and repeats itself', async () => {
    const { team, admin, member } = await createKeyed('ways-in');
    const session = await openSession(house, admin.user);
    const link = await makeLinkPath(house, member.user);
    const asOperator = { ...OPERATOR, 'patchbay-team': 'ways-in' };
    for (const headers of [admin.headers, session.headers, asOperator]) assert.equal(await statusOf(headers), 200);
    const { id: sessionId = '' } =
      (await house.app.database.get<{ id: string }>('select id from sessions where team_id = $1', [team.id])) ?? {};
    const isOpen = () =>
      hasSession(house.app.database, { teamId: team.id, userId: admin.user.id }, sessionId, clock.now());
    assert.equal(await isOpen(), true);

    for (let time = 0; time < 2; time++)
      assert.deepEqual(await operator.remove('ways-in'), { status: 202, body: { key: 'ways-in', state: 'erasing' } });
    assert.deepEqual([await statusOf(admin.headers), await statusOf(session.headers)], [401, 401]);
    assert.equal(await isOpen(), false, 'What is streamed to a page ends, too.');
    assert.equal(await statusOf(asOperator), 404);
    assert.equal((await house.server.inject({ method: 'POST', url: link })).statusCode, 410);
    assert.equal((await operator.get('ways-in')).body.code, 'operator.team_erasing');
    const { teams } = (await house.server.inject({ url: '/api/operator/teams', headers: OPERATOR })).json();
    assert.ok(!teams.some(({ key }: { key: string }) => key === 'ways-in'));
    await run();
    assert.equal((await operator.remove('ways-in')).status, 202);
  });

  test('forgets at once what the team has decided about itself', async () => {
    const { team, admin } = await createKeyed('decided');
    const day = [{ opens: '09:00', closes: '17:00' }];
    const closed = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
    const payload = {
      ...{ timeZone: 'Europe/Berlin', businessHours: { monday: day, ...closed } },
      ...{ reportRecipients: ['lead@decided.example'], retention: { recordingDays: 7, payloadDays: 30 } },
    };
    const patch = { method: 'PATCH', url: '/api/team', headers: admin.headers, payload } as const;
    assert.equal((await house.server.inject(patch)).statusCode, 200);
    await operator.remove('decided');
    const row = await house.app.database.get(
      'select name, time_zone, business_hours, report_recipients, recording_days from teams where id = $1',
      [team.id],
    );
    assert.deepEqual(
      { ...row },
      { name: '', time_zone: 'UTC', business_hours: null, report_recipients: null, recording_days: null },
    );
  });

  test('keeps the key until everything is gone, and frees it then', async () => {
    const { body: first } = await operator.put('free-again');
    await operator.remove('free-again');
    const refused = await operator.put('free-again');
    assert.deepEqual([refused.status, refused.body.code], [409, 'operator.team_erasing']);
    await run();
    assert.equal((await operator.put('free-again')).status, 409);
    clock.advance(20_000);
    await run();
    assert.equal((await operator.remove('free-again')).body.code, 'operator.team_unknown');
    const second = await operator.put('free-again');
    assert.equal(second.status, 201);
    assert.notEqual(second.body.id, first.id);
    assert.equal(await statusOf({ ...OPERATOR, 'patchbay-team': 'free-again' }), 200);
  });

  test('happens once, however many ask at the same time', async () => {
    await operator.put('crowd');
    const count = async () =>
      (await house.app.database.all("select id from audit_events where action = 'team.delete'")).length;
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 50 }, () => operator.remove('crowd')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    assert.equal(await count(), before + 1);
    await Promise.all(Array.from({ length: 5 }, run));
    clock.advance(20_000);
    await Promise.all(Array.from({ length: 5 }, run));
    assert.equal((await operator.get('crowd')).status, 404);
  });

  test('is recorded, and leaves of the team’s own log what happened and when', async () => {
    const { team, admin } = await createKeyed('audited');
    await house.server.inject({
      method: 'PATCH',
      url: '/api/team',
      headers: admin.headers,
      payload: { name: 'Secret' },
    });
    const list = (where: string, values: string[] = []) =>
      house.app.database.all<{ action: string; actor: string; request_id: string | null; address: string | null }>(
        `select * from audit_events where ${where} order by id`,
        values,
      );
    const ids = (await list('team_id = $1', [team.id])).map((event) => ('id' in event ? String(event.id) : ''));
    assert.ok(ids.length >= 3);
    await operator.remove('audited');
    const [deletion] = (await list("action = 'team.delete'")).slice(-1);
    assert.deepEqual([deletion?.actor, deletion?.address], ['operator', '127.0.0.1']);
    assert.ok(deletion?.request_id);
    await run();
    for (const id of ids) {
      const [event] = await list('id = $1', [id]);
      const { action, actor, ...rest } = { ...event, id: null, at: null };
      assert.ok(action && actor);
      assert.deepEqual(new Set(Object.values(rest)), new Set([null]));
    }
  });

  test('is refused for the first team, and for one that does not exist', async () => {
    const first = await house.server.inject({ url: '/api/team', headers: ADMIN });
    const { id } = first.json().team;
    await assert.rejects(house.app.erasure.beginAny(COMMAND_LINE, id), { code: 'teams.first_team' });
    assert.equal(await statusOf(ADMIN), 200);
    assert.equal((await operator.remove(id)).body.code, 'operator.team_unknown');
    assert.equal(await house.app.erasure.beginAny(COMMAND_LINE, 'nobody'), null);
    for (const headers of [ADMIN, {}]) {
      const answer = await house.server.inject({ method: 'DELETE', url: '/api/operator/teams/x', headers });
      assert.equal(answer.statusCode, 401);
    }
  });

  test('continues with what was left if it is interrupted at any point', async () => {
    await createKeyed('interrupted');
    await operator.remove('interrupted');
    const { database } = house.app;
    const { run: runStatement, transaction } = database;
    let left = 0;
    const failLater =
      <Arguments extends unknown[], Result>(work: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments): Promise<Result> => {
        if (String(args[0]).startsWith('update teams set erase_due_at')) return work(...args);
        if (left-- === 0) throw new Error('interrupted');
        return work(...args);
      };
    database.run = failLater(runStatement);
    database.transaction = failLater(transaction) as typeof transaction;
    try {
      for (let at = 0; (await operator.get('interrupted')).status === 404 && at < 100; at++) {
        clock.advance(3_600_000);
        left = at;
        await run();
        if (left >= 0) break;
      }
    } finally {
      database.run = runStatement;
      database.transaction = transaction;
    }
    clock.advance(3_600_000);
    await run();
    assert.equal((await operator.put('interrupted')).status, 201);
  });
});

onEachEngine('deleting a team whose users have tokens of an identity provider', (engine) => {
  const clock = createTestClock(Date.now());
  const provider = useStage(() => startIdentityProvider());
  const house = useStage(() =>
    createTestApp(engine, { clock, env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );
  const operator = createOperator(house);

  test('refuses their tokens until it is gone, and makes a fresh team after that', async () => {
    const token = await provider.sign({ sub: 'u1', team: 'claimed' });
    const ask = () => house.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } });
    const { id } = (await ask()).json().team;
    assert.equal((await operator.remove('claimed')).status, 202);
    assert.equal((await ask()).statusCode, 401);
    const run = () => house.app.erasure.eraseDue({}, { signal: new AbortController().signal });
    await run();
    assert.equal((await ask()).statusCode, 401);
    clock.advance(20_000);
    await run();
    const { team } = (await ask()).json();
    assert.notEqual(team.id, id);
    assert.equal(team.key, 'claimed');
  });
});
