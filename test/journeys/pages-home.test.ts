import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { createAccount } from '../../src/telephony/accounts/accounts.ts';
import { createNumber } from '../../src/telephony/accounts/numbers.ts';
import { plainConnection } from '../harness/plain-connection.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { AUTH_TOKEN, COLLEAGUE, newAccountSid, newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MINUTE_MS = 60_000;
const FORM = 'application/x-www-form-urlencoded';
const CALLERS = ['+15551230002', '+15551230003'];

describe('the home page', () => {
  // Sunday, at noon.
  const stage = useStage(() => openTelephonyStage('sqlite', { answer: { forwardTo: [COLLEAGUE] } }));
  const team = prepare(() => stage.newTeam({ ageDays: 30 }));
  let admin: Session;

  before(async () => {
    admin = await openSession(stage, team.admin.user);
  });

  const open = async ({ headers }: Session = admin): Promise<string> => {
    const answer = await stage.server.inject({ url: '/', headers });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.body;
  };
  const figure = (page: string, label: string): string | undefined =>
    new RegExp(`<dt>${label}</dt><dd[^>]*><strong>([^<]*)<`).exec(page)?.[1];

  const missCall = async (From: string): Promise<void> => {
    const sid = newCallSid();
    await team.line.rings(sid, { From });
    await team.line.dialed(sid, 'no-answer', { From });
    await team.line.status(sid, 'completed', { From });
    await stage.app.telephony.settle();
  };

  test('has a checklist that ticks off what is done, for admins only', async () => {
    const page = await open();
    assert.match(page, /Get started<\/h2><span class="quiet">2 of 4/);
    assert.match(page, /<li class="done"><span>Add a phone number/);
    assert.match(page, /<li class="done"><span>Invite a teammate/);
    assert.match(page, /href="\/settings\/report">Choose</);
    assert.doesNotMatch(page, /last week/, 'Without a call there are no figures.');
    const member = await openSession(stage, team.member.user);
    assert.doesNotMatch(await open(member), /Get started/);
    await stage.app.teams.team.change(team.team.id, COMMAND_LINE, {
      reportRecipients: ['boss@example.com'],
    });
    assert.match(await open(), /3 of 4/);
  });

  test('has a checklist that is gone for good once every step was done', async () => {
    const { database } = stage.app;
    const { id } = team.team;
    const recipients = 'update teams set recipients_chosen_at = $2 where id = $1';
    await database.run(recipients, [id, 1]);
    await insertConnection(database, plainConnection({ teamId: id, connectedBy: team.admin.user.id }, { id: 'done' }));
    assert.doesNotMatch(await open(), /Get started/);
    await database.run('delete from connections where team_id = $1', [id]);
    assert.doesNotMatch(await open(), /Get started/);
  });

  test('has a checklist that takes the default for a choice, but not a demo for a number', async () => {
    const { team: fresh, admin: first } = await stage.createTeam('fresh');
    await stage.app.teams.team.change(fresh.id, COMMAND_LINE, { name: 'Fresh' });
    const session = await openSession(stage, first.user);
    const { context } = stage.app.telephony;
    const demo = await createAccount(context, fresh.id, COMMAND_LINE, {
      ...{ provider: 'twilio', accountId: newAccountSid(), secrets: [AUTH_TOKEN], isSimulated: true },
    });
    await createNumber(context, fresh.id, COMMAND_LINE, { number: '+15555550100', account: demo.id });
    assert.match(await open(session), /<li><span>Add a phone number/);
    assert.match(await open(session), /<li><span>Choose who gets the weekly report/);
    const submit = (url: string, form: Record<string, string>) =>
      stage.server.inject({
        ...{ method: 'POST', url, headers: { ...session.headers, 'content-type': FORM } },
        payload: new URLSearchParams({ _csrf: session.csrfToken, ...form }).toString(),
      });
    const asItIs = { who: 'admins', addresses: '', day: 'monday', hour: '8' };
    assert.equal((await submit('/settings/report', asItIs)).statusCode, 303);
    assert.match(await open(session), /<li class="done"><span>Choose who gets the weekly report/);
    const dismissed = await submit('/checklist/dismiss', {});
    assert.deepEqual([dismissed.statusCode, dismissed.headers.location], [303, '/?done=dismissed']);
    assert.doesNotMatch(await open(session), /Get started/);
  });

  test('welcomes admins of a new team, until somebody has named it', async () => {
    const WELCOME = /What should we call your team\?/;
    const { team: fresh, admin: first, member } = await stage.createTeam('unnamed');
    const session = await openSession(stage, first.user);
    assert.match(await open(session), WELCOME);
    assert.doesNotMatch(await open(await openSession(stage, member.user)), WELCOME, 'A member can name no team.');
    assert.doesNotMatch(await open(), WELCOME, 'A team with an account is not new.');
    const submit = (form: Record<string, string>, { headers, csrfToken } = session) =>
      stage.server.inject({
        ...{ method: 'POST', url: '/welcome', headers: { ...headers, 'content-type': FORM } },
        payload: new URLSearchParams({ _csrf: csrfToken, ...form }).toString(),
      });
    const basics = { name: ' Example Ltd ', timeZone: 'Europe/Vienna' };
    for (const wrong of [{ name: '' }, { name: 'x'.repeat(201) }, { timeZone: 'Middle/Earth' }, { timeZone: '' }])
      assert.equal((await submit({ ...basics, ...wrong })).statusCode, 400, JSON.stringify(wrong));
    const asMember = await submit(basics, await openSession(stage, member.user));
    assert.equal(asMember.statusCode, 403, asMember.body);
    assert.match(await open(session), WELCOME);
    const named = await submit(basics);
    assert.deepEqual([named.statusCode, named.headers.location], [303, '/welcome']);
    const { name, timeZone } = await stage.app.teams.team.get(fresh.id);
    assert.deepEqual([name, timeZone], ['Example Ltd', 'Europe/Vienna']);
    const second = await stage.server.inject({ url: '/welcome', headers: session.headers });
    assert.match(
      second.body,
      /Your team is Example Ltd, in the time zone Europe\/Vienna\. <a href="\/settings">Change</,
    );
    assert.doesNotMatch(await open(session), WELCOME);
    assert.match(await open(session), /See it work, in one minute/);
  });

  test('welcomes nobody to a team that was named through the API', async () => {
    const { admin: first } = await stage.createTeam('by-program');
    const session = await openSession(stage, first.user);
    const patch = {
      method: 'PATCH',
      url: '/api/team',
      headers: first.headers,
      payload: { name: 'By program' },
    } as const;
    assert.equal((await stage.server.inject(patch)).statusCode, 200);
    assert.match(await open(session), /This week at By program/);
  });

  const markReturned = (id: string) =>
    stage.server.inject({
      ...{ method: 'POST', url: '/calls/returned', headers: { ...admin.headers, 'content-type': FORM } },
      payload: new URLSearchParams({ _csrf: admin.csrfToken, id }).toString(),
    });

  test('counts in the background, again as soon as a call is new, and never contradicts who waits', async () => {
    for (const caller of [...CALLERS, ...CALLERS]) await missCall(caller);
    await waitUntil('the calls are counted', async () => figure(await open(), 'Calls') === '4');
    const page = await open();
    assert.equal(figure(page, 'Answered'), '0%');
    assert.equal(figure(page, 'Calls to return'), '4');
    assert.match(page, /November 9–15, 2026 so far, as of <time/);
    assert.match(page, /2 callers need a call back/);
    await missCall('+15551230004');
    await waitUntil('the new call is counted', async () => figure(await open(), 'Calls') === '5');
    assert.match(await open(), /3 callers need a call back/);
  });

  test('counts again once a call is marked as returned', async () => {
    const { calls } = await stage.app.telephony.calls.show(team.team.id, {}, 10);
    const call = calls.find(({ from }) => from === '+15551230004');
    assert.equal((await markReturned(call?.id ?? '')).statusCode, 303);
    stage.clock.advance(1_000);
    await waitUntil('the mark is counted', async () => figure(await open(), 'Calls to return') === '4');
    assert.match(await open(), /2 callers need a call back/);
  });

  test('compares with the reports of the weeks before', async () => {
    stage.clock.advance(7 * 24 * 60 * MINUTE_MS);
    admin = await openSession(stage, team.admin.user);
    await stage.app.reports.runReports({ team: team.team.id, askedBy: 'person' });
    await waitUntil('the new week is counted', async () => figure(await open(), 'Calls') === '0');
    const page = await open();
    assert.match(page, /<strong>0<\/strong>\s*<span class="under">5 last week/);
    assert.match(page, /Week of Nov 9: 0 answered, 5 unanswered/);
    assert.match(page, /aria-label="Inbound calls per week, oldest first: [^"]*5, 0"/);
  });

  test("shows nothing of another team's week", async () => {
    const stranger = await openSession(stage, (await stage.newTeam()).admin.user);
    assert.doesNotMatch(await open(stranger), /last week|caller/);
  });
});
