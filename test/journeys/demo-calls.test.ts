import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { runReports } from '../../src/reports/runs/run-reports.ts';
import { weekAt } from '../../src/reports/week/week.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { createAccount } from '../../src/telephony/accounts/accounts.ts';
import { createNumber } from '../../src/telephony/accounts/numbers.ts';
import { countCalls } from '../../src/telephony/index.ts';
import { insertCalls } from '../../src/telephony/processing/call-batch-store.ts';
import { beginCall } from '../../src/telephony/processing/put-calls.ts';
import { toRecordingEvent } from '../../src/telephony/recordings/recording-event.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession } from '../harness/sessions.ts';
import {
  AUTH_TOKEN,
  createPhoneLine,
  newAccountSid,
  newCallSid,
  newRecordingSid,
  openTelephonyStage,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const DAY_MS = 86_400_000;
const DEMO_NUMBER = '+15555550100';

onOneEngine('demo calls', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  type Line = ReturnType<typeof createPhoneLine>;

  const miss = async (on: Line, from: string): Promise<string> => {
    const sid = newCallSid();
    await on.rings(sid, { From: from });
    await on.status(sid, 'no-answer', { From: from });
    return sid;
  };

  /** Two simulated calls, one of them recorded. */
  const addDemo = async (teamId: string) => {
    const { context } = stage.app.telephony;
    const accountId = newAccountSid();
    const { id } = await createAccount(context, teamId, COMMAND_LINE, {
      ...{ provider: 'twilio', accountId, secrets: [AUTH_TOKEN], isSimulated: true },
    });
    const number = await createNumber(context, teamId, COMMAND_LINE, { number: DEMO_NUMBER, account: id });
    const line = createPhoneLine(stage.server, { id, accountId });
    await miss(line, '+15555550101');
    const recordingSid = newRecordingSid();
    await line.recorded(await miss(line, '+15555550102'), recordingSid);
    await stage.app.telephony.settle();
    const recording = await stage.app.database.get<{ id: string; teamId: string }>(
      'select id, team_id as "teamId" from recordings where external_id = $1',
      [recordingSid],
    );
    await archiveRecording(stage.app, recording ?? assert.fail('There is no recording.'));
    return { simulated: id, simulatedNumber: number.id, recording };
  };

  /** With nothing but demo calls. */
  const openDemoTeam = async () => {
    const made = await stage.createTeam(`team-${stage.app.newId().slice(-12)}`);
    const get = (url: string) => stage.server.inject({ url, headers: made.member.headers });
    return { ...made, get, ...(await addDemo(made.team.id)) };
  };

  /** With one real call, too. */
  const openTeam = async () => {
    const team = await stage.newTeam();
    const demo = await addDemo(team.team.id);
    await miss(team.line, '+15551230001');
    await stage.app.telephony.settle();
    return { ...team, ...demo };
  };

  const ask = async (
    { admin }: Pick<Awaited<ReturnType<typeof openDemoTeam>>, 'admin'>,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
  ) => {
    const answer = await stage.server.inject({ method, url, headers: admin.headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() };
  };

  const OWN = () => ({ provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN] });

  /** Turns on alerts about calls, and returns how many are open. */
  const watchAlerts = async (team: Awaited<ReturnType<typeof openDemoTeam>>) => {
    const [on, url] = [{ mail: true, slack: true }, '/api/events/alerts'];
    await ask(team, 'PUT', url, { settings: { reconnect: on, voicemail: on, missed: on, endpoint: on } });
    return async (): Promise<number> => {
      await stage.app.notices.alerts.look();
      return (await ask(team, 'GET', url)).body.open.length;
    };
  };

  const makeReport = async ({ team, get }: Pick<Awaited<ReturnType<typeof openDemoTeam>>, 'team' | 'get'>) => {
    const { reports } = await stage.app.reports.runReports({ team: team.id, askedBy: 'person' });
    const week = reports.at(-1)?.week ?? assert.fail('There is no report.');
    return { week, ...(await get(`/api/reports/${week}`)).json() };
  };

  /** One session per person: a person can't have very many. */
  const sessions = new Map<string, ReturnType<typeof openSession>>();

  const openPage = async (url: string, user: Parameters<typeof openSession>[1]): Promise<string> => {
    const session = sessions.get(user.id) ?? openSession(stage, user);
    sessions.set(user.id, session);
    const { headers } = await session;
    const { body, statusCode } = await stage.server.inject({ url, headers });
    assert.equal(statusCode, 200, body);
    return body;
  };

  const inbound = (page: string): string | undefined => /aria-label="Inbound calls: (\d+)"/.exec(page)?.[1];

  const countWeek = async (teamId: string) => {
    const now = stage.clock.now();
    const span = { startsAt: now - 3 * DAY_MS, endsAt: now + DAY_MS, beforeStartsAt: now - 10 * DAY_MS };
    return countCalls(stage.app.telephony.context, teamId, { ...span, pieceMs: DAY_MS, asOf: now + DAY_MS });
  };

  test('are labeled in the list and left out of reports', async () => {
    const { team, member } = await openTeam();
    const session = await openSession(stage, member.user);
    const { body } = await stage.server.inject({ url: '/calls', headers: session.headers });
    assert.equal(body.split('demo call').length - 1, 2);
    const { ended, callers, recordings, waiting } = await countWeek(team.id);
    assert.deepEqual(ended, [{ direction: 'inbound', outcome: 'missed', calls: 1, talkSeconds: 0 }]);
    assert.deepEqual([callers.total, waiting.total, recordings], [1, 1, []]);
  });

  /** How many calls wait, according to everything that says so. */
  const readWaiting = async ({ team, member, get }: Awaited<ReturnType<typeof openDemoTeam>>) => {
    const { calls } = stage.app.telephony;
    const listed = (await calls.show(team.id, {}, 10)).calls;
    const countIn = async (query: string) => (await get(`/api/calls${query}`)).json().calls.length;
    let onHome: string | undefined;
    await waitUntil('the week is counted', async () => {
      const page = await openPage('/', member.user);
      onHome = /<dt>Calls to return<\/dt><dd[^>]*><strong>(\d+)</.exec(page)?.[1];
      return onHome !== undefined;
    });
    const report = await openPage(`/reports/${weekAt(stage.clock.now(), 'UTC')}`, member.user);
    const pages = await Promise.all(listed.map(({ id }) => openPage(`/calls/${id}`, member.user)));
    return {
      callers: (await calls.countWaiting(team.id)).callers,
      byCaller: (await calls.showWaiting(team.id, {}, 10)).calls.length,
      inTheApi: await countIn('?waiting=true'),
      inAPeriod: await countIn('?waiting=true&outcome=missed&since=2020-01-01T00:00:00Z'),
      buttonsInTheList: listed.filter(({ isWaiting }) => isWaiting).length,
      buttonsOnPages: pages.filter((page) => page.includes('Mark as returned')).length,
      onHome: Number(onHome),
      inTheReport: Number(/(\d+) calls? so far, oldest first/.exec(report)?.[1] ?? 0),
    };
  };

  const everywhere = (count: number): Awaited<ReturnType<typeof readWaiting>> => ({
    ...{ callers: count, byCaller: count, inTheApi: count, inAPeriod: count },
    ...{ buttonsInTheList: count, buttonsOnPages: count, onHome: count, inTheReport: count },
  });

  test('wait for a call back until the team adds an account of its own, wherever that is counted or shown', async () => {
    const alone = await openDemoTeam();
    const countAlerts = await watchAlerts(alone);
    assert.deepEqual(await readWaiting(alone), everywhere(2));
    assert.equal(await countAlerts(), 2);
    const { body: account } = await ask(alone, 'POST', '/api/telephony/accounts', OWN());
    assert.deepEqual(await readWaiting(alone), everywhere(0));
    assert.equal(await countAlerts(), 0);
    await miss(createPhoneLine(stage.server, account), '+15551230001');
    await stage.app.telephony.settle();
    stage.clock.advance(60_000);
    await waitUntil('the call is counted', async () => (await readWaiting(alone)).onHome === 1);
    assert.deepEqual(await readWaiting(alone), everywhere(1));
    assert.equal(await countAlerts(), 1);
    assert.equal((await ask(alone, 'DELETE', `/api/telephony/accounts/${account.id}`)).status, 204);
    assert.deepEqual(await readWaiting(alone), everywhere(1), 'The calls of a removed account are still real.');
  });

  test('share nothing with the real calls of the same number, and make room for them on Home', async () => {
    const { team, admin, line, member } = await stage.newTeam();
    const demo = await addDemo(team.id);
    const { accountId } = (await ask({ admin }, 'GET', `/api/telephony/accounts/${demo.simulated}`)).body;
    const demoLine = createPhoneLine(stage.server, { id: demo.simulated, accountId });
    const caller = '+15555550102';
    await miss(line, caller);
    await stage.app.telephony.settle();
    stage.clock.advance(1_000);
    for (let calls = 0; calls < 6; calls++) await miss(demoLine, caller);
    const sid = newCallSid();
    await demoLine.rings(sid, { From: caller });
    await demoLine.status(sid, 'completed', { From: caller, CallDuration: '20' });
    await stage.app.telephony.settle();
    const { calls } = await stage.app.telephony.calls.showWaiting(team.id, {}, 10);
    assert.deepEqual(
      calls.map(({ from, attempts, isFirst, isSimulated }) => ({ from, attempts, isFirst, isSimulated })),
      [{ from: caller, attempts: 1, isFirst: true, isSimulated: false }],
    );
    assert.deepEqual(await stage.app.telephony.calls.countWaiting(team.id), { callers: 1, messages: 0 });
    const home = await openPage('/', member.user);
    assert.match(home, /Demo calls aren't counted or listed here/);
    assert.match(home, /555-0102/);
    assert.doesNotMatch(home, /demo call</);
  });

  test('leave no alert behind when they are removed', async () => {
    const alone = await openDemoTeam();
    const countAlerts = await watchAlerts(alone);
    assert.equal(await countAlerts(), 2);
    await stage.app.telephony.accounts.removeSimulated(alone.team.id, COMMAND_LINE);
    assert.equal(await countAlerts(), 0);
    const page = await openPage('/alerts', alone.member.user);
    assert.match(page, /Nothing is open/);
  });

  test('have an account that takes nothing that people enter', async () => {
    const mixed = await openTeam();
    const { simulated, simulatedNumber, number, account, admin } = mixed;
    const numbers = '/api/telephony/numbers';
    for (const [method, url, payload] of [
      ['POST', numbers, { number: '+15551239998', account: simulated }],
      ['PATCH', `${numbers}/${number.id}`, { account: simulated }],
      ['PATCH', `${numbers}/${simulatedNumber}`, { number: '+15551239998' }],
      ['PATCH', `${numbers}/${simulatedNumber}`, { account: account.id }],
      ['PATCH', `/api/telephony/accounts/${simulated}`, { secrets: ['a-real-secret-of-the-team'] }],
    ] as const) {
      const { status, body } = await ask(mixed, method, url, payload);
      assert.deepEqual([status, body.code], [409, 'telephony.account_is_demo'], `${method} ${url}`);
    }
    const { body } = await ask(mixed, 'GET', numbers);
    assert.deepEqual(
      body.numbers.map((one: { number: string; simulated: boolean }) => [one.number, one.simulated]).sort(),
      [
        [number.number, false],
        [DEMO_NUMBER, true],
      ],
    );
    const form = await openPage('/settings/telephony/numbers/new', admin.user);
    assert.ok(form.includes(`<option value="${account.id}"`));
    assert.ok(!form.includes(simulated));
    const overview = await openPage('/settings/telephony', admin.user);
    assert.equal(overview.split('<span class="pill">Demo</span>').length - 1, 2, 'the account and the number');
    for (const path of [`accounts/${simulated}`, `numbers/${simulatedNumber}`]) {
      const page = await openPage(`/settings/telephony/${path}`, admin.user);
      assert.match(page, /<span class="pill">Demo<\/span>/);
      assert.doesNotMatch(page, /<form method="post" action="\/settings\/telephony|numbers\/new/);
    }
  });

  test('have a number that does not decide how the team writes its own', async () => {
    const alone = await openDemoTeam();
    const { getCallingCode } = stage.app.telephony.numbers;
    assert.equal(await getCallingCode(alone.team.id), '1');
    const { body: account } = await ask(alone, 'POST', '/api/telephony/accounts', OWN());
    await ask(alone, 'POST', '/api/telephony/numbers', { number: '+4930901820', account: account.id });
    assert.equal(await getCallingCode(alone.team.id), '49');
  });

  test('are labeled in the API, in files and in events', async () => {
    const { team, member, calls, get, recording } = await openTeam();
    const labels = (await calls()).map(({ from, demo }: { from: string; demo: boolean }) => [from, demo]).sort();
    const expected = [
      ['+15551230001', false],
      ['+15555550101', true],
      ['+15555550102', true],
    ];
    assert.deepEqual(labels, expected);
    const headers = { ...member.headers, accept: 'text/csv' };
    const [head = '', ...lines] = (await stage.server.inject({ url: '/api/calls', headers })).body.trim().split('\r\n');
    assert.match(head, /,demo,numberLabel,transcript,personName,personUrl,personProvider$/);
    assert.deepEqual(lines.map((line) => line.split(',').at(-6)).sort(), ['false', 'true', 'true']);
    const { events } = (await get('/api/events')).json();
    type Told = { type: string; data: { from: string; demo: boolean } };
    for (const type of ['call.started', 'call.missed']) {
      const told = events.filter((event: Told) => event.type === type).map(({ data }: Told) => [data.from, data.demo]);
      assert.deepEqual(told.sort(), expected, `${type} of ${team.id}`);
    }
    const demo = recording ?? assert.fail();
    assert.equal((await get(`/api/recordings/${demo.id}`)).json().recording.demo, true);
    const { context } = stage.app.telephony;
    const [told] = await toRecordingEvent(context, context.database, 'recording.ready', demo);
    assert.deepEqual([told?.type, told?.data['demo']], ['recording.ready', true]);
  });

  test('are left out of a report, which says so until they are removed', async () => {
    const mixed = await openTeam();
    const { member, admin, team } = mixed;
    stage.clock.advance(7 * DAY_MS);
    const { week, figures, demoCallsLeftOut, deliveries } = await makeReport(mixed);
    assert.deepEqual([figures.calls.inbound.value, figures.unreturned.total, demoCallsLeftOut], [1, 1, true]);
    assert.match(deliveries[0].problem, /No mail server/);
    for (const path of [`/reports/${week}`, `/reports/${week}/mail`]) {
      const page = await openPage(path, member.user);
      assert.match(page, /Demo calls are left out\./);
      assert.doesNotMatch(page, /Demo data/);
    }
    await stage.app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE);
    assert.doesNotMatch(await openPage(`/reports/${week}`, admin.user), /Demo/);
    assert.equal((await makeReport(mixed)).demoCallsLeftOut, false);
  });

  test('are shown in a labeled report if there are no others, and no such report is sent', async () => {
    const alone = await openDemoTeam();
    const { team, admin, member } = alone;
    stage.clock.advance(7 * DAY_MS);
    const { week, figures, demoCallsLeftOut, deliveries } = await makeReport(alone);
    assert.deepEqual([figures.calls.inbound.value, demoCallsLeftOut], [0, true], 'None of it is kept.');
    const nobody = { state: 'skipped', problem: 'The team had only demo calls, so there was nothing to report.' };
    assert.deepEqual(deliveries, [{ channel: 'mail', ...nobody, sentAt: null, nextTryAt: null }]);
    const page = await openPage(`/reports/${week}`, member.user);
    assert.equal(inbound(page), '2');
    assert.match(page, /<span class="pill">Demo data<\/span> Your team has only demo calls/);
    assert.match(await openPage('/reports', member.user), /Demo data<\/span> Your team has only demo calls so far/);
    await stage.app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE);
    stage.clock.advance(6_000);
    const after = await openPage(`/reports/${week}`, admin.user);
    assert.equal(inbound(after), undefined, 'A zero leads nowhere.');
    assert.doesNotMatch(after, /Demo data/);
    const context = { ...stage.app, mailer: { send: async () => null, check: async () => null }, production: false };
    await runReports(context, { team: team.id, askedBy: 'person' });
    assert.deepEqual((await makeReport(alone)).deliveries, deliveries, 'Not even once they are removed.');
  });

  test('are removed with one button, and nothing else is', async () => {
    const { team, admin, member, calls, simulated } = await openTeam();
    const { app, server } = stage;
    const sessions = { admin: await openSession(stage, admin.user), member: await openSession(stage, member.user) };
    const ask = (who: keyof typeof sessions) =>
      server.inject({ url: '/calls/demo/remove', headers: sessions[who].headers });
    assert.equal((await ask('member')).statusCode, 403);
    assert.match((await ask('admin')).body, /Your other calls stay/);
    const { cookie, csrfToken } = sessions.admin;
    const removed = await server.inject({
      method: 'POST',
      url: '/calls/demo/remove',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
    });
    assert.equal(removed.headers.location, '/calls?done=demo_removed', removed.body);
    assert.deepEqual(
      (await calls()).map(({ from }: { from: string }) => from),
      ['+15551230001'],
    );
    const left = await app.database.all('select id from recordings where account_id = $1', [simulated]);
    assert.deepEqual(left, []);
    for (const rows of [
      `select id from calls where account_id = $1`,
      `select call_id from waiting_callers where team_id = $2 and call_id not in (select id from calls where account_id <> $1)`,
      `select id from deliveries where account_id = $1 and payload is not null`,
      `select id from telephony_numbers where account_id = $1 and removed_at is null`,
    ])
      assert.deepEqual(
        await app.database.all(rows, rows.includes('$2') ? [simulated, team.id] : [simulated]),
        [],
        rows,
      );
    const { events } = (await stage.server.inject({ url: '/api/events', headers: admin.headers })).json();
    assert.doesNotMatch(JSON.stringify(events), /1555555010/, 'Events no longer say who called.');
    assert.match(JSON.stringify(events), /\+15551230001/);
    assert.deepEqual(await app.telephony.calls.countWaiting(team.id), { callers: 1, messages: 0 });
    assert.equal((await ask('admin')).headers.location, '/calls', 'There is nothing left to remove.');
    assert.deepEqual(await app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE), { calls: 0 });
  });

  test('leave no payloads behind, nor what they held', async () => {
    const { team, admin } = await openDemoTeam();
    const held = async (): Promise<number> =>
      (await ask({ admin }, 'GET', '/api/telephony/storage')).body.payloads.bytes;
    assert.ok((await held()) > 0);
    await stage.app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE);
    assert.equal(await held(), 0);
  });

  test('are labeled in the audit log, without what a simulation does to its account', async () => {
    const { team, admin } = await stage.createTeam('audited');
    const { demo } = stage.app.telephony;
    const listActions = async (): Promise<string[]> =>
      (await ask({ admin }, 'GET', '/api/audit')).body.events
        .map(({ action }: { action: string }) => action)
        .filter((action: string) => action.startsWith('telephony.'));
    // Nothing listens at the stage's own address, so it ends here.
    await assert.rejects(async () => demo?.play(team.id, COMMAND_LINE));
    assert.deepEqual(await listActions(), ['telephony.demo.play']);
    await stage.app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE);
    assert.deepEqual((await listActions()).sort(), ['telephony.demo.end', 'telephony.demo.play']);
  });

  test('are all removed, however many there are', async () => {
    const { team, calls, simulated } = await openTeam();
    const { database, clock } = stage.app;
    const more = Array.from({ length: 50 }, () => {
      const call = { teamId: team.id, accountId: simulated, provider: 'twilio', externalId: newCallSid() };
      return beginCall(randomUUID(), { ...call, receivedAt: clock.now() });
    });
    await insertCalls(database, more, clock.now());
    assert.deepEqual(await stage.app.telephony.accounts.removeSimulated(team.id, COMMAND_LINE), { calls: 52 });
    assert.deepEqual(
      (await calls()).map(({ from }: { from: string }) => from),
      ['+15551230001'],
    );
  });
});
