import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { COMMAND_LINE } from '../../src/teams/index.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { COLLEAGUE, newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const WEEK = '2026-W46';
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const WAITING = '+15551230002';
/** Nothing listens there. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Patchbay <patchbay@hooks.example>' };

describe('the report pages', () => {
  // Sunday, at noon.
  const stage = useStage(() => openTelephonyStage('sqlite', { env: MAIL, answer: { forwardTo: [COLLEAGUE] } }));
  const team = prepare(() => stage.newTeam());
  let admin: Session;
  let member: Session;
  let stranger: Session;

  before(async () => {
    admin = await openSession(stage, team.admin.user);
    member = await openSession(stage, team.member.user);
    stranger = await openSession(stage, (await stage.newTeam()).admin.user);
    const taken = newCallSid();
    await team.line.rings(taken);
    stage.clock.advance(14_000);
    await team.line.dialed(taken, 'completed', { DialCallDuration: '10', DialBridged: 'true' });
    await team.line.status(taken, 'completed', { CallDuration: '14' });
    for (const sid of [newCallSid(), newCallSid()]) {
      await team.line.rings(sid, { From: WAITING });
      await team.line.dialed(sid, 'no-answer', { From: WAITING });
      await team.line.status(sid, 'completed', { From: WAITING });
    }
    await stage.app.telephony.settle();
  });

  const get = (url: string, { headers }: Session = admin) => stage.server.inject({ url, headers });
  const page = async (url: string, session = admin, status = 200): Promise<string> => {
    const answer = await get(url, session);
    assert.equal(answer.statusCode, status, `${url}: ${answer.body}`);
    assert.match(String(answer.headers['content-type']), /^text\/html/);
    return answer.body;
  };
  const run = ({ headers, csrfToken }: Session) =>
    stage.server.inject({ method: 'POST', url: '/reports/run', headers: { ...headers, 'x-csrf-token': csrfToken } });

  test('show the current week of a team where Monday has come already', async () => {
    const east = await stage.newTeam();
    const payload = { timeZone: 'Pacific/Kiritimati' };
    const changed = await stage.server.inject({
      method: 'PATCH',
      url: '/api/team',
      headers: east.admin.headers,
      payload,
    });
    assert.equal(changed.statusCode, 200);
    const session = await openSession(stage, east.member.user);
    assert.match(await page('/reports/2026-W47', session), /This week isn&#39;t over yet/);
    await page('/reports/2026-W47', member, 404);
  });

  test('say when the first report comes, and let an admin create it now', async () => {
    assert.match(await page('/reports'), /<a href="\/reports\/2026-W46">This week so far<\/a>/);
    const soFar = await page(`/reports/${WEEK}`);
    assert.match(soFar, /This week isn&#39;t over yet: these are the figures so far\. .*Counted just now/s);
    assert.match(soFar, /Counted just now\. The report will be ready <time datetime="2026-11-16T08:00:00\.000Z"/);
    assert.match(soFar, /2 calls from 1 caller so far, oldest first/);
    assert.equal(soFar.match(/first week/g)?.length, 1);
    assert.match(soFar, /aria-label="Inbound calls: 3"/);
    assert.doesNotMatch(soFar, /Sent to/);
    stage.clock.advance(13 * HOUR_MS);
    const empty = await page('/reports');
    assert.match(
      empty,
      /The first one will be ready <time datetime="2026-11-16T08:00:00.000Z" title="Monday, November 16, 2026 at 08:00:00 UTC">today at 08:00<\/time>/,
    );
    assert.match(empty, /A weekly summary, ready every Monday at 08:00\./);
    assert.match(empty, /action="\/reports\/run"/);
    assert.match(empty, new RegExp(`will be emailed to ${team.admin.user.email}`));
    assert.doesNotMatch(await page('/reports', member), /<form method="post" action="\/reports\/run"/);
    assert.equal((await run(member)).statusCode, 403);
    assert.match(await page('/reports', member), /No reports yet/);

    const made = await run(admin);
    assert.equal(made.statusCode, 303);
    assert.equal(made.headers.location, '/reports?done=made');
    const listed = await page('/reports?done=made');
    assert.match(listed, /Last week&#39;s report is ready\./);
    assert.match(listed, /<a href="\/reports\/2026-W46">Week 46<\/a>/);
    assert.match(listed, /1 of 1 on its way/);
    for (const path of ['/reports', '/reports?before=2026-W46'])
      assert.match(await page(path), /The next report will be ready <time datetime="2026-11-23T08:00:00\.000Z" /, path);
    assert.equal((await run(admin)).headers.location, '/reports?done=known');
  });

  test('say that a report whose time has come is on its way', async () => {
    const late = await stage.newTeam({ ageDays: 14 });
    const session = await openSession(stage, late.admin.user);
    await stage.app.reports.runReports({ team: late.team.id, week: '2026-W45', askedBy: 'cron' });
    assert.doesNotMatch(await page('/reports', session), /is on its way/);
    await stage.app.teams.team.change(late.team.id, COMMAND_LINE, { reportSchedule: { day: 'monday', hour: 0 } });
    const shown = await page('/reports', session);
    assert.match(shown, /ready every Monday at 00:00\. Last week&#39;s report is on its way\. The next report will be/);
  });

  test('show a week: its figures, who is waiting, and who it was sent to', async () => {
    const shown = await page(`/reports/${WEEK}`, member);
    assert.match(shown, /<h1>Week 46, November 9–15, 2026<\/h1>/);
    assert.match(shown, /aria-label="Inbound calls: 3"/);
    assert.match(shown, /aria-label="Answered: 1"/);
    assert.match(shown, /aria-label="Unanswered: 2"[^>]*>2<\/a> <span class="under">66\.7% of inbound calls/);
    assert.equal(shown.match(/<a href="tel:\+15551230002">/g)?.length, 1);
    assert.match(shown, /Missed, called 2 times/);
    assert.match(shown, /2 calls from 1 caller when the report was created/);
    assert.match(shown, /Sent to/);
    assert.ok(shown.includes(team.admin.user.email ?? ''));
    assert.doesNotMatch(shown, /style="|<script(?! type="module" src)|unsubscribe\//);
  });

  test('link every figure to the rows behind it', async () => {
    const shown = await page(`/reports/${WEEK}`);
    const links = [...shown.matchAll(/<a href="(\/calls[^"]+)" aria-label="([^"]+)"/g)].map(
      ([, href = '', label = '']) => [label, href.replaceAll('&amp;', '&')] as const,
    );
    const lists = links.filter(([, href]) => href.startsWith('/calls?'));
    assert.ok(lists.length >= 12, `${lists.length}`);
    for (const [label, href] of lists) {
      const rows = new Set((await page(href)).match(/href="\/calls\/[0-9a-f-]{36}"/g));
      assert.ok(rows.size > 0, `${label} leads nowhere: ${href}`);
      if (/^(Inbound calls|Inbound|Answered|Missed|\+1555)/.test(label))
        assert.equal(label.split(': ')[1], String(rows.size));
    }
    const stories = links.filter(([, href]) => href.startsWith('/calls/'));
    assert.equal(stories.length, 1, 'The caller is there once, with both calls.');
    for (const [, href] of stories) assert.match(await page(href), /\+15551230002/);
  });

  test('draw charts that carry their own styles and that only the browser caches, with revalidation', async () => {
    const shown = await page(`/reports/${WEEK}`);
    for (const name of ['heat.svg', 'outcomes.svg']) {
      const address = `/reports/${WEEK}/${name}`;
      const drawing = await get(address);
      assert.equal(drawing.statusCode, 200);
      assert.match(String(drawing.headers['content-type']), /^image\/svg\+xml/);
      const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
      assert.equal(drawing.headers['content-security-policy'], policy);
      assert.equal(drawing.headers['cache-control'], 'private, no-cache');
      const [, width, height] = /<svg [^>]*width="(\d+)" height="(\d+)"/.exec(drawing.body) ?? [];
      assert.ok(shown.includes(`<img src="${address}" width="${width}" height="${height}" alt="`));
      const again = { ...admin.headers, 'if-none-match': String(drawing.headers['etag']) };
      assert.equal((await stage.server.inject({ url: address, headers: again })).statusCode, 304);
    }
  });

  test('write times as the email does', async () => {
    const { team: owner, admin: reader, line } = await stage.newTeam();
    await stage.app.teams.team.change(owner.id, COMMAND_LINE, { timeZone: 'America/New_York' });
    const session = await openSession(stage, reader.user);
    const sid = newCallSid();
    await line.rings(sid);
    await line.status(sid, 'no-answer');
    await stage.app.telephony.settle();
    const week = /href="\/reports\/([^"]+)">This week so far/.exec(await page('/reports', session))?.[1];
    const headers = { ...session.headers, 'accept-language': 'en-US' };
    const read = async (path: string) => (await stage.server.inject({ url: `/reports/${week}${path}`, headers })).body;
    const [shown, mailed] = [await read(''), await read('/mail')];
    const time = /First called.*?>(Nov \d+, \d+:\d\d [AP]M)</s.exec(shown)?.[1];
    assert.ok(time && mailed.includes(time), `${time}`);
  });

  test("show the email as it's sent, without anyone's unsubscribe link", async () => {
    const mail = await get(`/reports/${WEEK}/mail`);
    assert.equal(mail.statusCode, 200);
    assert.match(String(mail.headers['content-security-policy']), /^default-src 'none'; .*; sandbox$/);
    assert.equal(mail.headers['x-frame-options'], 'DENY');
    assert.match(mail.body, /Week 46, November 9–15, 2026/);
    assert.ok(mail.body.includes(`href="/reports/${WEEK}"`) && mail.body.includes('href="#"'));
    assert.doesNotMatch(mail.body, /unsubscribe\//);
  });

  test("say why a report wasn't sent", async () => {
    await stage.app.database.run(
      `update report_deliveries set state = 'failed', problem = 'The mail server responded with 550.' where team_id = $1`,
      [team.team.id],
    );
    assert.match(
      await page(`/reports/${WEEK}`),
      /not sent<\/span> <span class="under">The mail server responded with 550\./,
    );
    assert.match(await page('/reports'), /1 of 1 not sent/);
  });

  test('show late arrivals as a new revision', async () => {
    assert.doesNotMatch(await page(`/reports/${WEEK}`), /Revision/);
    const late = { Timestamp: 'Sat, 14 Nov 2026 08:00:00 +0000', CallDuration: '3' };
    await team.line.status(newCallSid(), 'completed', late);
    await stage.app.telephony.settle();
    await run(admin);
    const shown = await page(`/reports/${WEEK}`);
    assert.match(shown, /<strong>Revision 2<\/strong>: something came in late/);
    assert.match(shown, /aria-label="Inbound calls: 4"/);
    assert.match(await page('/reports'), /revision 2/);
  });

  test("are closed to other teams, and refuse what isn't a week", async () => {
    for (const rest of ['', '/heat.svg', '/outcomes.svg', '/mail']) {
      assert.match(await page(`/reports/${WEEK}${rest}`, stranger, 404), /There is no report for this week\./);
      await page(`/reports/2026-W01${rest}`, admin, 404);
      for (const wrong of ['2026-W54', 'nonsense', `2026-W46${'0'.repeat(30)}`])
        await page(`/reports/${wrong}${rest}`, admin, 400);
      const nobody = await stage.server.inject(`/reports/${WEEK}${rest}`);
      assert.equal(nobody.statusCode, 303);
      assert.equal(nobody.headers.location, `/sign-in?returnTo=${encodeURIComponent(`/reports/${WEEK}${rest}`)}`);
    }
    assert.doesNotMatch(await page('/reports', stranger), /2026-W46/);
    await page('/reports?before=nonsense', admin, 400);
    const { headers } = team.admin;
    assert.equal(
      (await stage.server.inject({ method: 'POST', url: '/reports/run', headers: admin.headers })).statusCode,
      403,
    );
    assert.equal((await stage.server.inject({ url: '/reports', headers })).statusCode, 303);
  });

  test('say why a week has no report, and what an admin can do about it', async () => {
    const young = await stage.newTeam();
    const [session, colleague] = [
      await openSession(stage, young.admin.user),
      await openSession(stage, young.member.user),
    ];
    const later = async (week: string) => page(`/reports/${week}`, session, 404);
    assert.match(await later('2027-W02'), /<h1>Week 2, January 11–17, 2027[\s\S]*The week isn't over yet\./);
    const early = await later('2026-W01');
    assert.match(
      early,
      /Your team was created later[\s\S]*<code>npm run patchbay -- report run --week 2026-W01<\/code>/,
    );
    assert.doesNotMatch(early, /cron|action="\/reports\/run"/);
    assert.doesNotMatch(await page('/reports/2026-W01', colleague, 404), /npm run/);
    await stage.app.database.run('update teams set created_at = created_at - $2 where id = $1', [
      young.team.id,
      WEEK_MS,
    ]);
    const due = await later(WEEK);
    assert.match(
      due,
      /There is no report for this week\.[\s\S]*action="\/reports\/run"[\s\S]*Create missing reports now/,
    );
    assert.doesNotMatch(due, /npm run/);
    assert.equal((await run(session)).headers.location, '/reports?done=made');
    await page(`/reports/${WEEK}`, session);
  });

  test('promise a new team its first report after its first week, and mark an earlier one', async () => {
    const young = await stage.newTeam();
    const session = await openSession(stage, young.admin.user);
    const empty = await page('/reports', session);
    assert.match(empty, /The first one will be ready <time datetime="2026-11-23T08:00:00.000Z" /);
    assert.doesNotMatch(empty, /action="\/reports\/run"/);
    const { location = '' } = (await run(session)).headers;
    assert.equal(location, '/reports?done=early');
    assert.match(await page(location, session), /your team&#39;s first week isn&#39;t over/);
    await stage.app.reports.runReports({ week: '2026-W46', team: young.team.id, askedBy: 'cron' });
    assert.match(await page('/reports', session), /before the team was created/);
    const shown = await page('/reports/2026-W46', session);
    assert.match(shown, /This week ended before your team was created, so the report is sent to no one\./);
    assert.doesNotMatch(await page(`/reports/${WEEK}`), /before your team was created/);
  });

  test('link from week to week, and list half a year at a time', async () => {
    for (let months = 0; months < 3; months++) {
      stage.clock.advance(9 * WEEK_MS);
      const session = await openSession(stage, team.admin.user);
      assert.equal((await run(session)).headers.location, '/reports?done=made');
      admin = session;
    }
    const newest = await page('/reports');
    assert.equal(newest.match(/<th scope="row">/g)?.length, 26);
    const earlier = /href="(\/reports\?before=[^"]+)"/.exec(newest)?.[1] ?? '';
    const oldest = await page(earlier);
    assert.match(oldest, /Week 46/);
    assert.match(oldest, /<a href="\/reports">Newest weeks<\/a>/);
    assert.doesNotMatch(oldest, /Earlier weeks/);
    assert.match(await page('/reports?before=2026-W46'), /There are no earlier weeks\./);
    const first = await page(`/reports/${WEEK}`);
    assert.match(first, /<a href="\/reports\/2026-W47" rel="next">November 16–22, 2026 →<\/a>/);
    assert.doesNotMatch(first, /rel="prev"/);
  });
});
