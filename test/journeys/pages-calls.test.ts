import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import { createOutbound, type Outbound } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import {
  CALLER,
  newCallSid,
  newRecordingSid,
  openTelephonyStage,
  SERVICE_URL,
  type TelephonyStage,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FORM = 'application/x-www-form-urlencoded';
const MINUTE_MS = 60_000;

describe('the call pages', () => {
  const stage = useStage(() => openTelephonyStage('sqlite', { outbound: createDetour() }));
  let team: Awaited<ReturnType<TelephonyStage['newTeam']>>;
  let other: Awaited<ReturnType<TelephonyStage['newTeam']>>;
  let admin: Session;
  let member: Session;
  let origin = '';

  /** Requests to the public URL reach the port that the tests listen on. */
  const createDetour = (): Outbound => {
    const real = createOutbound({ allowPrivate: true });
    return {
      ...real,
      request: (request) => real.request({ ...request, url: request.url.replace(SERVICE_URL, origin) }),
    };
  };

  before(async () => {
    await stage.server.listen({ host: '127.0.0.1', port: 0 });
    origin = `http://127.0.0.1:${(stage.server.server.address() as AddressInfo).port}`;
    [team, other] = [await stage.newTeam(), await stage.newTeam()];
    [admin, member] = [await openSession(stage, team.admin.user), await openSession(stage, team.member.user)];
  });

  const get = async (url: string, { headers }: Session = member) => stage.server.inject({ url, headers });
  const page = async (url: string, session?: Session): Promise<string> => {
    const { statusCode, body } = await get(url, session);
    assert.equal(statusCode, 200, `${url}: ${body}`);
    return body;
  };
  const post = (url: string, { cookie, csrfToken }: Session = member, token = csrfToken) =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { cookie, 'content-type': FORM },
      payload: new URLSearchParams({ _csrf: token }).toString(),
    });

  type Line = (typeof team)['line'];
  /** A call that no one answers. Returns its id. */
  const miss = async (line: Line, { from = CALLER, status = 'no-answer' } = {}): Promise<string> => {
    const sid = newCallSid();
    await line.rings(sid, { From: from });
    await line.status(sid, status, { From: from });
    return idOf(sid);
  };
  const idOf = async (sid: string): Promise<string> => {
    await stage.app.telephony.settle();
    const row = await stage.app.database.get<{ id: string }>('select id from calls where external_id = $1', [sid]);
    return row?.id ?? assert.fail('There is no such call.');
  };

  const listen = async (since: number, { cookie }: Session = member) => {
    const answer = await fetch(`${origin}/calls/live?since=${since}`, { headers: { cookie } });
    const heard = { status: answer.status, type: answer.headers.get('content-type'), text: '', ended: false };
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async (): Promise<void> => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) heard.text += part.value;
    };
    const reading = read()
      .catch(() => undefined)
      .then(() => {
        heard.ended = true;
      });
    return {
      heard,
      async leave(): Promise<void> {
        await reader?.cancel().catch(() => undefined);
        await reading;
      },
    };
  };

  test('explain how to get a first call, and offer an admin the next step', async () => {
    const forAdmin = await page('/calls', admin);
    assert.match(forAdmin, /No calls yet[\s\S]*href="\/settings\/telephony"[\s\S]*action="\/calls\/demo"/);
    const forMember = await page('/calls');
    assert.match(forMember, /No calls yet[\s\S]*A team admin/);
    assert.doesNotMatch(forMember, /\/calls\/demo|\/settings\/telephony/);
  });

  test("list calls, newest first, with the number's label and who still waits for a call back", async () => {
    const labelled = await stage.server.inject({
      method: 'PATCH',
      url: `/api/telephony/numbers/${team.number.id}`,
      headers: team.admin.headers,
      payload: { label: 'Front <desk>' },
    });
    assert.equal(labelled.statusCode, 200, labelled.body);
    const missed = await miss(team.line, { from: '+15551230042' });
    stage.clock.advance(MINUTE_MS);
    const sid = newCallSid();
    await team.line.rings(sid);
    await team.line.dialed(sid, 'completed', { DialCallDuration: '185' });
    await team.line.status(sid, 'completed');
    const answered = await idOf(sid);
    const body = await page('/calls');
    const rows = body.split('<tr id="call-').slice(1);
    assert.equal(rows.length, 2);
    assert.ok(rows[0]?.startsWith(answered) && rows[1]?.startsWith(missed), 'newest first');
    assert.match(rows[0] ?? '', /data-outcome="answered">Answered[\s\S]*>3:05</);
    assert.match(
      rows[1] ?? '',
      /title="\+15551230042">\(555\) 123-0042[\s\S]*data-outcome="missed">Missed[\s\S]*Front &lt;desk&gt;[\s\S]*Mark as returned/,
    );
    assert.doesNotMatch(await page('/calls', await openSession(stage, other.member.user)), /<tr id="call-/);
  });

  test('filter calls on the page and in the CSV file', async () => {
    const count = async (query: string): Promise<number> =>
      (await page(`/calls?${query}`)).split('<tr id="call-').length - 1;
    assert.equal(await count('outcome=&direction=&from=&to=&since=&until='), 2);
    assert.equal(await count('outcome=missed'), 1);
    assert.equal(await count('outcome=answered'), 1);
    assert.equal(await count('outcome=answered&direction=outbound'), 0);
    assert.equal(await count('waiting=1'), 1);
    assert.equal(await count('direction=outbound'), 0);
    assert.equal(await count('from=%2B1+555+123+0042'), 1);
    assert.equal(await count('since=2026-11-15&until=2026-11-15'), 2);
    assert.equal(await count('until=2026-11-14'), 0);
    assert.equal(await count('search=front'), 2, 'by the label of the number');
    assert.match(await page('/calls?direction=outbound'), /No matching calls/);
    const file = await get('/calls.csv?outcome=missed');
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
    assert.match(
      file.body,
      /^Call ID,.*,Started \(UTC\),.*,Label of your number,What a machine heard,Contact,Page of the contact,Contact from\r\n/,
    );
    assert.deepEqual(
      file.body
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[7]),
      ['missed'],
    );
    for (const bad of ['outcome=lost', 'since=yesterday', 'since=2026-02-31', 'cursor=%3F'])
      assert.equal((await get(`/calls?${bad}`)).statusCode, 400, bad);
  });

  test('link to older calls, and back', async () => {
    const crowd = await stage.newTeam();
    const session = await openSession(stage, crowd.member.user);
    for (let call = 0; call < 31; call++) {
      stage.clock.advance(1_000);
      await crowd.line.rings(newCallSid());
    }
    await stage.app.telephony.settle();
    const first = await page('/calls', session);
    const older =
      /class="older" rel="next" href="([^"]+)"/.exec(first)?.[1] ?? assert.fail('There is no link to older calls.');
    const second = await page(older, session);
    const idsOf = (body: string): string[] => [...body.matchAll(/<tr id="call-([^"]+)"/g)].map(([, id = '']) => id);
    assert.equal(new Set([...idsOf(first), ...idsOf(second)]).size, 31);
    assert.match(second, /href="\/calls">Newest calls/);
    assert.match(first, /data-takes="all"/);
    assert.doesNotMatch(second, /data-takes/);
    assert.match(await page('/calls?waiting=1', session), /data-takes="waiting"/);
    assert.doesNotMatch(await page('/calls?waiting=1&search=5', session), /data-takes/);
  });

  test('show what happened in a call, what decided its outcome, and its recordings', async () => {
    const sid = newCallSid();
    await team.line.rings(sid);
    await team.line.dialed(sid, 'no-answer');
    await team.line.leavesMessage(sid);
    await team.line.status(sid, 'levitating');
    await team.line.status(sid, 'completed');
    const recordings = [newRecordingSid(), newRecordingSid()];
    for (const recording of recordings) await team.line.recorded(sid, recording);
    const id = await idOf(sid);
    const rows = await stage.app.database.all<{ id: string; teamId: string }>(
      'select id, team_id as "teamId" from recordings where call_key = $1 order by created_at, id',
      [sid],
    );
    await archiveRecording(stage.app, rows[0] ?? assert.fail('There is no recording.'));
    const body = await page(`/calls/${id}`);
    assert.match(body, /<h1>Call from \(555\)\u00a0123-0001<\/h1>/);
    assert.match(body, /Based on: “The caller left a message”/);
    assert.match(body, /class="decisive">[\s\S]*?The caller left a message[\s\S]*?decides the outcome/);
    assert.match(body, /Forwarded, but no one picked up[\s\S]*The provider reported “levitating”/);
    assert.match(
      body,
      new RegExp(`<audio id="audio-${rows[0]?.id}" controls preload="none" src="/api/recordings/${rows[0]?.id}/audio"`),
    );
    assert.match(body, /About to be fetched/);
    assert.equal(body.split('<audio').length - 1, 1);
    assert.equal((await get(`/api/recordings/${rows[0]?.id}/audio`)).statusCode, 200);
    assert.match(await page('/calls?outcome=voicemail'), /data-play="\/api\/recordings\//);
  });

  test('tell the steps of a call in order, and no talk time if no one talked', async () => {
    const sid = newCallSid();
    await team.line.rings(sid);
    stage.clock.advance(3_400);
    // The provider's clock is ahead, and only tells whole seconds.
    const at = (ms: number) => new Date(stage.clock.now() + ms).toUTCString().replace('GMT', '+0000');
    await team.line.dialed(sid, 'no-answer');
    await team.line.status(sid, 'initiated', { Timestamp: at(-2_000) });
    await team.line.status(sid, 'completed', { CallDuration: '3', Timestamp: at(-1_000) });
    const body = await page(`/calls/${await idOf(sid)}`);
    const steps = [...body.matchAll(/<div[^>]*><p>([^<]+)(?: <span class="because">[^<]+<\/span>)?<\/p>/g)];
    assert.deepEqual(
      steps.map(([, words]) => words),
      [
        ...['The call started', 'The phone rang', 'The provider picked up and asked how to handle the call'],
        ...['Forwarded, but no one picked up', 'The call ended'],
      ],
    );
    assert.match(body, /The call ended<\/p>\s*<p class="quiet">lasted 0:03/);
    assert.doesNotMatch(body, /<dt>(?:Talk time|Answered)<\/dt>|talk(?:ed|ing) for/);
  });

  test('let a member mark a missed call as returned', async () => {
    const id = await miss(team.line, { from: '+15551230043' });
    assert.match(await page(`/calls/${id}`), /Not returned[\s\S]*tel:\+15551230043/);
    assert.equal((await post(`/calls/${id}/returned`, member, 'guessed')).statusCode, 403);
    const marked = await post(`/calls/${id}/returned`);
    assert.equal(marked.statusCode, 303);
    assert.match(await page(String(marked.headers.location)), /Marked as returned[\s\S]*state good">Returned/);
    const [answered] = await team.calls('?outcome=answered');
    const refused = await post(`/calls/${answered.id}/returned`);
    assert.equal(refused.statusCode, 409);
    assert.match(refused.body, /role="alert"[\s\S]*Only an unanswered inbound call[\s\S]*What happened/);
  });

  test('list each caller who waits once, and mark several as returned and back', async () => {
    const busy = await stage.newTeam();
    const session = await openSession(stage, busy.member.user);
    for (const from of ['+15551230050', '+15551230050', '+15551230051', '+15551230050']) {
      stage.clock.advance(MINUTE_MS);
      await miss(busy.line, { from });
    }
    const idsIn = (body: string): string[] => [...body.matchAll(/<tr id="call-([^"]+)"/g)].map(([, id = '']) => id);
    const waiting = await page('/calls?waiting=1', session);
    assert.match(waiting, /Needs a call back <span class="count">2</);
    assert.match(waiting, /\(555\) 123-0050[\s\S]*called 3 times/);
    const ids = idsIn(waiting);
    assert.equal(ids.length, 2);
    assert.match(waiting, /href="\/calls\?waiting=1&amp;order=oldest">Longest wait first</);
    const longest = await page('/calls?waiting=1&order=oldest', session);
    assert.deepEqual(idsIn(longest), ids.toReversed());
    assert.match(longest, /Calls, oldest first[\s\S]*/);
    assert.match(longest, /href="\/calls\?waiting=1">Newest first</);
    assert.doesNotMatch(longest, /data-takes/, 'A new call belongs at the end, on the last page.');
    const send = (path: string, fields: [string, string][], { cookie, csrfToken } = session) =>
      stage.server.inject({
        method: 'POST',
        url: path,
        headers: { cookie, 'content-type': FORM },
        payload: new URLSearchParams([['_csrf', csrfToken], ...fields]).toString(),
      });
    const chosen = ids.map((id): [string, string] => ['id', id]);
    const back: [string, string] = ['back', '/calls?waiting=1&search=555'];
    const marked = await send('/calls/returned', [...chosen, back]);
    assert.equal(marked.statusCode, 303, marked.body);
    const { location } = marked.headers;
    assert.match(String(location), /^\/calls\?search=555&waiting=1&done=returned&marked=/);
    const told = await page(String(location), session);
    assert.match(told, /2 callers are marked as returned\.[\s\S]*action="\/calls\/reopened"/);
    assert.match(await page('/calls?waiting=1', session), /all caught up/);
    assert.doesNotMatch(await page(String(location).replace('done=returned&', ''), session), /reopened/, 'Said once.');
    assert.equal((await send('/calls/returned', chosen, member)).statusCode, 404, 'Of another team.');
    const undone = await send('/calls/reopened', [...chosen, ['back', 'https://elsewhere.test/?waiting=1']]);
    assert.equal(undone.headers.location, '/calls?waiting=1&done=reopened');
    assert.deepEqual(idsIn(await page('/calls?waiting=1', session)), ids);
    assert.match(String((await send('/calls/returned', [back])).headers.location), /done=none/);
  });

  test('narrow the list down by period and number, and lead back to all of it', async () => {
    const body = await page('/calls?outcome=voicemail&search=5');
    assert.match(body, /Period: <\/span>Any time<\/summary>/);
    const today = /href="([^"]+)">Today<\/a>/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(today, /^\/calls\?search=5&outcome=voicemail&since=\d{4}-\d\d-\d\d$/);
    const narrowed = await page(today);
    assert.match(narrowed, /Period: <\/span>Today<\/summary>/);
    assert.match(narrowed, /class="clear" href="\/calls\?search=5&amp;outcome=voicemail"/);
    assert.match(await page('/calls?until=2026-01-01'), /Period: <\/span>Other dates<\/summary>/);
  });

  test('name who was marked, and no one of another team', async () => {
    const id = await miss(team.line, { from: '+15551230044' });
    const told = (session = member) => page(`/calls?done=returned&marked=${id}`, session);
    assert.match(await told(), /Marked as returned: <strong>\(555\) 123-0044<\/strong>\./);
    const other = await stage.newTeam();
    assert.match(await told(await openSession(stage, other.member.user)), /<p>Marked as returned\.<\/p>/);
  });

  test('find calls by part of a number or a name, and keep the search in every tab', async () => {
    const body = await page('/calls?search=123+0042');
    assert.equal(body.split('<tr id="call-').length - 1, 1);
    assert.match(body, /href="\/calls\?search=123\+0042&amp;waiting=1"/);
    assert.match(body, /href="\/calls\.csv\?search=123\+0042"/);
    assert.match(await page('/calls?search=nobody'), /No matching calls/);
    assert.match(await page('/calls?search=%3Cscript%3E'), /value="&lt;script&gt;"/);
  });

  test("don't show another team's call", async () => {
    const id = await miss(other.line);
    for (const unknown of [id, 'nobodys']) {
      assert.equal((await get(`/calls/${unknown}`)).statusCode, 404);
      assert.equal((await post(`/calls/${unknown}/returned`)).statusCode, 404);
    }
    const stranger = await stage.server.inject({ url: `/calls/${id}`, headers: { accept: 'text/html' } });
    assert.equal(stranger.headers.location, `/sign-in?returnTo=%2Fcalls%2F${id}`);
  });

  test("stream calls as they start and change, but not another team's", async () => {
    stage.clock.advance(MINUTE_MS);
    const { heard, leave } = await listen(stage.clock.now());
    assert.equal(heard.type, 'text/event-stream');
    const [sid, theirs] = [newCallSid(), newCallSid()];
    await other.line.rings(theirs);
    await team.line.rings(sid);
    const [id, theirId] = [await idOf(sid), await idOf(theirs)];
    await waitUntil('it rings', () => /pill good now">Ringing/.test(heard.text));
    await team.line.status(sid, 'no-answer');
    await waitUntil('it was missed', () => /data-outcome="missed">Missed/.test(heard.text));
    const rows = heard.text.match(/data: <tr id="call-[^"]+/g) ?? [];
    assert.ok(rows.length >= 2 && rows.every((row) => row.endsWith(id)), rows.join(' '));
    assert.ok(!heard.text.includes(theirId));
    await leave();
    const again = await listen(0);
    await waitUntil('what happened in between is sent', () => again.heard.text.split('event: call').length > 4);
    await again.leave();
  });

  test('end the stream with the session, and limit how many are open', async () => {
    assert.equal((await fetch(`${origin}/calls/live`)).status, 401);
    const session = await openSession(stage, team.member.user);
    const streams: Awaited<ReturnType<typeof listen>>[] = [];
    for (let opened = 0; opened < 6; opened++) streams.push(await listen(stage.clock.now(), session));
    assert.ok(streams.every(({ heard }) => heard.status === 200));
    const oneMore = await listen(stage.clock.now(), session);
    assert.equal(oneMore.heard.status, 429);
    assert.equal((await post('/sign-out', session)).statusCode, 303);
    await miss(team.line, { from: '+15551230044' });
    await waitUntil('they have ended', () => streams.every(({ heard }) => heard.ended));
    assert.ok(streams.every(({ heard }) => !heard.text.includes('+15551230044')));
  });

  test('let an admin play a demo call that is over in seconds, the first one with a message', async () => {
    assert.equal((await post('/calls/demo')).statusCode, 403);
    const played = await post('/calls/demo', admin);
    assert.equal(played.statusCode, 303, played.body);
    assert.match(await page(String(played.headers.location), admin), /Demo call started/);
    const again = await post('/calls/demo', admin);
    assert.match(await page(String(again.headers.location), admin), /A demo call is already under way/);
    const listDemos = (): Promise<{ id: string; outcome: string }[]> => team.calls('?to=%2B15555550100');
    await waitUntil('it is over', async () => (await listDemos()).some(({ outcome }) => outcome === 'voicemail'));
    assert.equal((await listDemos()).length, 1);
    const [demo] = await listDemos();
    assert.doesNotMatch(await page(`/calls/${demo?.id}`, admin), /back through your provider/);
  });

  test("don't keep the server from stopping", async () => {
    const { heard } = await listen(stage.clock.now());
    const readMs = startStopwatch();
    await stage.server.close();
    await waitUntil('the stream has ended', () => heard.ended);
    assert.ok(readMs() < 5_000);
  });
});

test('there is no demo call in production', async () => {
  const stage = await createTestApp('sqlite', {
    env: { NODE_ENV: 'production', PATCHBAY_URL: 'https://patchbay.example' },
  });
  const { admin } = await stage.createTeam('earnest');
  const { cookie, csrfToken } = await openSession(stage, admin.user, '__Host-patchbay_session');
  const { body } = await stage.server.inject({ url: '/calls', headers: { cookie } });
  assert.match(body, /No calls yet/);
  assert.doesNotMatch(body, /demo/);
  const answer = await stage.server.inject({
    method: 'POST',
    url: '/calls/demo',
    headers: { cookie, 'content-type': FORM },
    payload: new URLSearchParams({ _csrf: csrfToken }).toString(),
  });
  assert.equal(answer.statusCode, 404);
  await stage.close();
});
