import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { insertAttempts } from '../../src/events/attempts/attempt-store.ts';
import { getFirstAdmin } from '../../src/teams/records/user-store.ts';
import { OPERATOR, putCustomer } from '../harness/customers.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { newCallSid, openTelephonyStage, type TelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const ENDPOINTS = '/settings/endpoints';
const MINUTE_MS = 60_000;
const NOBODYS = '01900000-0000-7000-8000-000000000000';

onOneEngine('the pages of events', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  const receiver = useStage(startEventReceiver);
  let team: Awaited<ReturnType<TelephonyStage['newTeam']>>;
  let admin: Session;
  let member: Session;
  let stranger: Session;
  /** The page of the team's endpoint. */
  let path = '';
  let secret = '';

  before(async () => {
    // After the first team, in the order of ids, too.
    stage.clock.advance(1);
    team = await stage.newTeam();
    const other = await stage.newTeam();
    admin = await openSession(stage, team.admin.user);
    member = await openSession(stage, team.member.user);
    stranger = await openSession(stage, other.admin.user);
  });

  const open = async ({ headers }: Session, url: string, status = 200): Promise<string> => {
    const { statusCode, body } = await stage.server.inject({ url, headers });
    assert.equal(statusCode, status, `${url}: ${body}`);
    assert.doesNotMatch(
      body,
      /style=|<script(?! type="module" src="\/assets\/[a-z-]+\.js"><\/script>)| on[a-z]+=/,
      url,
    );
    return body;
  };

  const post = ({ headers, csrfToken }: Session, url: string, form: Record<string, string> = {}) =>
    stage.server.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ _csrf: csrfToken, ...form }).toString(),
    });

  /** A form that succeeds leads to a page that says so. */
  const expectDone = async (url: string, form: Record<string, string>, says: RegExp): Promise<string> => {
    const answer = await post(admin, url, form);
    assert.equal(answer.statusCode, 303, `${url}: ${answer.body}`);
    const page = await open(admin, String(answer.headers.location));
    assert.match(page, says);
    return page;
  };

  const expectRefused = async (url: string, form: Record<string, string>, status: number, says: RegExp) => {
    const { statusCode, body } = await post(admin, url, form);
    assert.equal(statusCode, status, body);
    assert.match(body, says);
    return body;
  };

  const sendAll = () => stage.app.events.sending.sendAll();

  test('say what an endpoint is for, and to members that only admins have them', async () => {
    const empty = await open(admin, ENDPOINTS);
    assert.match(
      empty,
      /Let your programs know what happens.*listen --forward-to.*name="types\.\*" value="on" checked/s,
    );
    const explained = await open(member, ENDPOINTS);
    assert.match(explained, /Only admins can see and change endpoints/);
    assert.doesNotMatch(explained, /<form method="post" action="\/settings/);
  });

  test('refuse an endpoint that cannot work, and keep what was entered', async () => {
    const form = {
      url: 'ftp://receiver.example',
      description: '"><b>',
      'types.call.*': 'on',
      'types.call.missed': 'on',
    };
    const page = await expectRefused(ENDPOINTS, form, 400, /<strong>URL<\/strong> must be a URL with http or https/);
    assert.match(page, /value="ftp:\/\/receiver\.example".*value="&quot;&gt;&lt;b&gt;"/s);
    assert.match(page, /name="types\.call\.\*" value="on" checked/);
    assert.doesNotMatch(page, /name="types\.\*" value="on" checked/);
    await expectRefused(ENDPOINTS, { url: receiver.url, description: '' }, 400, /Choose at least one type of event/);
    await expectRefused(ENDPOINTS, { 'types.*': 'on' }, 400, /needs a URL/);
  });

  test('show the secret once, and never the query of the URL', async () => {
    const url = `${receiver.url}?token=canary-of-query`;
    const made = await post(admin, ENDPOINTS, {
      url,
      description: 'CRM <sync>',
      'types.*': 'on',
      'types.call.*': 'on',
    });
    assert.equal(made.statusCode, 200, made.body);
    secret = /whsec_[\w+/=]+/.exec(made.body)?.[0] ?? '';
    assert.match(made.body, /It won't be shown again.*verifyEvent/s);
    path = /href="(\/settings\/endpoints\/[\w-]+)#test"/.exec(made.body)?.[1] ?? '';
    const list = await open(admin, ENDPOINTS);
    assert.match(list, new RegExp(`<a href="${path}">${receiver.url}\\?…</a><span class="under">CRM &lt;sync&gt;`));
    assert.match(list, /Everything.*Active/s);
    for (const page of [
      list,
      await open(admin, path),
      await open(admin, `${path}/delete`),
      await open(admin, '/settings/audit'),
    ])
      assert.doesNotMatch(page, /canary-of-query|whsec_/);
  });

  test('make no second endpoint when the form is submitted twice, as by reloading the page with the secret', async () => {
    const form = { url: `${receiver.url}?token=canary-of-query`, description: 'again', 'types.*': 'on' };
    const says = /already has an endpoint with this URL for the same events\. No second one was created\./;
    assert.doesNotMatch(await expectRefused(ENDPOINTS, form, 409, says), /whsec_/);
    const owner = { teamId: team.team.id, forOperator: false };
    assert.equal((await stage.app.events.endpoints.list(owner)).length, 1);
  });

  test('send a test, and show what the receiver said', async () => {
    const good = await post(admin, `${path}/test`);
    assert.match(good.body, /role="status"><p><span class="state good">Accepted \(204\)<\/span> after \d+ ms/);
    const [received] = receiver.received;
    assert.ok(received);
    assert.equal(received.path, '/hook?token=canary-of-query');
    receiver.respondWith(500);
    const bad = await post(admin, `${path}/test`);
    receiver.respond = receiver.accept;
    assert.match(bad.body, /Failed \(500\)<\/span> after \d+ ms\. The receiver responded with 500\./);
    assert.match(bad.body, new RegExp(`<a href="/events/${received.event.id}">test</a>`));
    const reopened = await stage.server.inject({ url: `${path}/test`, headers: admin.headers });
    assert.deepEqual([reopened.statusCode, reopened.headers.location], [303, `${path}#test`]);
  });

  test('lead from a call to its events, their attempts, and sending them again', async () => {
    const sid = newCallSid();
    await team.line.rings(sid, { From: 'sip:<i>"x"@caller.example' });
    await team.line.status(sid, 'no-answer');
    const [call] = await team.calls();
    await sendAll();
    const page = await open(member, `/calls/${call.id}`);
    assert.match(page, /Open an event for its details and the exact message that your endpoints get\./);
    const address = /href="(\/events\/evt_[\w-]+)">A call was missed</.exec(page)?.[1] ?? '';
    const asMember = await open(member, address);
    assert.match(asMember, /<dt>Outcome<\/dt><dd>Missed<\/dd>.*<code>call\.missed<\/code>/s);
    assert.match(asMember, new RegExp(`<a href="/calls/${call.id}">Open the call</a>`));
    assert.doesNotMatch(asMember, /<i>|action="\/events|127\.0\.0\.1/);
    const asAdmin = await open(admin, address);
    assert.match(asAdmin, new RegExp(`<a href="${path}">${receiver.url}\\?…</a>.*Accepted \\(204\\)`, 's'));

    const isThis = ({ event }: { event: { id: string } }) => address.endsWith(event.id);
    const before = receiver.received.filter(isThis).length;
    await expectDone(`${address}/resend`, {}, /being sent again to every active endpoint/);
    await sendAll();
    assert.equal(receiver.received.filter(isThis).length, before + 1);
    assert.match(await open(admin, path), new RegExp(`<a href="${address}">call\\.missed</a>`));

    await stage.app.database.run('update events set data = null where subject = $1', [call.id]);
    const erased = await open(admin, address);
    assert.match(erased, /What this event was about has been erased/);
    assert.doesNotMatch(erased, /action="\/events/);
    await expectRefused(`${address}/resend`, {}, 409, /has been erased, so it cannot be sent again/);
    assert.equal((await post(member, `${address}/resend`)).statusCode, 403);
    for (const url of [address, `/events/evt_${NOBODYS}`, '/events/nonsense']) {
      await open(stranger, url, 404);
      assert.equal((await post(stranger, `${url}/resend`)).statusCode, 404, url);
    }
  });

  test('show what people need about an event, in one time zone, before its folded JSON', async () => {
    const { team: owner, admin: reader } = await stage.newTeam();
    const session = await openSession(stage, reader.user);
    const payload = { timeZone: 'Asia/Kathmandu' };
    await stage.server.inject({ method: 'PATCH', url: '/api/team', headers: reader.headers, payload });
    const data = { id: 'c1', from: '+15551230001', outcome: 'voicemail', startedAt: '2026-11-15T11:59:00.000Z' };
    const event = { teamId: owner.id, type: 'call.voicemail', subject: 'c1', data } as const;
    await stage.app.database.transaction((tx) => stage.app.events.record(tx, event));
    const { events } = await stage.app.events.followLog({ teamId: owner.id }, { limit: 10 });
    const page = await open(session, `/events/${events[0]?.id}`);
    const [shown = '', raw = ''] = page.split('<details class="raw">');
    assert.match(shown, /<dt>From<\/dt>.*\(555\) 123-0001.*<dt>Outcome<\/dt><dd>Voicemail<\/dd>/s);
    assert.match(shown, /<dt>Started<\/dt><dd><time [^>]+>Today, 17:44<\/time>/);
    assert.doesNotMatch(shown.replaceAll(/datetime="[^"]+"/g, ''), /\d{2}:\d{2}[\d:.]*Z/);
    assert.match(
      raw,
      /<summary>The event as JSON<\/summary>.*&quot;startedAt&quot;: &quot;2026-11-15T11:59:00\.000Z&quot;/s,
    );
    assert.match(page, /It hasn't been sent anywhere/);
    assert.doesNotMatch(page, /Send again/, 'Nothing was sent, so nothing can be sent again.');
  });

  test('list the attempts to an endpoint below its settings, a page at a time', async () => {
    const [known] = await stage.app.database.all<{ teamId: string; eventId: string; endpointId: string }>(
      'select team_id as "teamId", event_id as "eventId", endpoint_id as "endpointId" from event_attempts where endpoint_id = $1',
      [path.split('/').at(-1) ?? ''],
    );
    assert.ok(known);
    // Older than all others.
    const older = Array.from({ length: 60 }, (_, index) => ({
      ...{ ...known, id: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}` },
      ...{ at: index, status: 500, durationMs: 10_000 + index, error: 'It failed.' },
    }));
    await stage.app.database.transaction((tx) => insertAttempts(tx, older));
    const pages: string[] = [];
    for (let url: string | undefined = path; url; ) {
      const page = await open(admin, url);
      pages.push(page);
      url = /rel="next" href="([^"]+)#attempts">Older</.exec(page)?.[1];
    }
    assert.equal(pages.length, 2);
    for (const page of pages) {
      const places = ['>Settings</h2>', '>Secret</h2>', '>Send a period again</h2>', '>Attempts</h2>'];
      const found = places.map((words) => page.indexOf(words));
      assert.ok(
        found.every((at, index) => at > (found[index - 1] ?? 0)),
        `${found}`,
      );
    }
    const durations = pages.flatMap((page) => [...page.matchAll(/>(100\d\d) ms</g)].map(([, ms]) => Number(ms)));
    assert.deepEqual(durations, older.map(({ durationMs }) => durationMs).reverse());
    assert.match(pages[1] ?? '', new RegExp(`<a href="${path}#attempts">Newest</a>`));
    assert.equal((await stage.server.inject({ url: `${path}?cursor=x`, headers: admin.headers })).statusCode, 400);
  });

  test('send a period again, in the time of the team', async () => {
    const { team: owner } = team;
    const payload = { timeZone: 'Asia/Kathmandu' };
    await stage.server.inject({ method: 'PATCH', url: '/api/team', headers: team.admin.headers, payload });
    const atTeam = (ms: number): string =>
      new Date(stage.clock.now() + ms + 345 * MINUTE_MS).toISOString().slice(0, 16);
    const happen = async (id: string): Promise<void> => {
      const event = { teamId: owner.id, type: 'call.started', subject: id, data: { id } } as const;
      await stage.app.database.transaction((tx) => stage.app.events.record(tx, event));
      stage.clock.advance(2 * MINUTE_MS);
    };
    for (const id of ['before', 'within', 'after']) await happen(id);
    await sendAll();
    const period = { since: atTeam(-5 * MINUTE_MS), until: atTeam(-3 * MINUTE_MS).replace('T', ' ') };
    await expectDone(`${path}/replay`, period, /A period is being sent again right now/);
    await sendAll();
    const times = (id: string) => receiver.received.filter(({ event }) => event.data['id'] === id).length;
    assert.deepEqual(['before', 'within', 'after'].map(times), [1, 2, 1]);

    assert.match(
      await open(admin, path),
      /type="datetime-local".*Both are in your team&#39;s time zone, Asia\/Kathmandu\./s,
    );
    const replay = (since: string, until: string) => ({ since, until });
    const empty = replay('2026-01-01T00:00', '2026-01-02T23:59');
    await expectDone(`${path}/replay`, empty, /Nothing happened in this period/);
    const backward = replay('2026-11-05T10:00', '2026-11-05T09:00');
    const page = await expectRefused(`${path}/replay`, backward, 400, /must be before/);
    assert.match(page, /value="2026-11-05T10:00".*value="2026-11-05T09:00"/s);
    for (const since of ['', '2026-02-30T10:00', '2026-02-03T24:00'])
      await expectRefused(`${path}/replay`, { since }, 400, /is not a valid date and time/);
    await expectRefused(`${path}/replay`, { since: 'yesterday' }, 400, /a date and time like 2026-11-15T09:30/);
  });

  test('change an endpoint, and turn it off and on', async () => {
    const saved = await expectDone(path, { url: '', description: 'x', 'types.report.ready': 'on' }, /Endpoint saved/);
    assert.match(saved, new RegExp(`<h1>${receiver.url}\\?…</h1>.*<code>report\\.ready</code>`, 's'));
    await expectRefused(path, { url: 'nonsense', 'types.*': 'on' }, 400, /value="nonsense"/);
    const off = await expectDone(`${path}/turn-off`, {}, /Nothing is sent until/);
    assert.match(off, /Turned off<\/span><span class="under">by a person.*Turn the endpoint on first/s);
    await expectDone(`${path}/turn-on`, {}, /gets what happens from now on/);
    await expectDone(path, { url: `${receiver.url}/new`, description: '', 'types.*': 'on' }, /\/hook\/new<\/h1>/);
  });

  test('say why an endpoint was turned off, or that it is failing', async () => {
    const id = path.split('/').at(-1) ?? '';
    const set = (sql: string) => stage.app.database.run(`update event_endpoints set ${sql} where id = $1`, [id]);
    await set("inactive_reason = 'gone', inactive_since = 0");
    assert.match(
      await open(admin, ENDPOINTS),
      /Turned off<\/span><span class="under">because the receiver responded with 410/,
    );
    await set('inactive_reason = null, inactive_since = null, failing_since = 0');
    assert.match(await open(admin, ENDPOINTS), /Failing<\/span><span class="under">since/);
    const lastSuccess = Date.parse('2026-11-14T23:00:30Z');
    await set(`failing_since = null, last_success_at = ${lastSuccess}, last_failure_at = ${lastSuccess + 1}`);
    assert.match(await open(admin, path), /name="since" type="datetime-local" value="2026-11-15T04:44"/);
    await set(`last_success_at = ${lastSuccess + 2}`);
    assert.match(await open(admin, path), /name="since" type="datetime-local" value=""/);
  });

  test('ask before making a new secret, and show it once', async () => {
    const question = await open(admin, `${path}/secret`);
    assert.match(question, /Make a new secret\?.*24 hours/s);
    const form = { seen: /name="seen" value="(\w+)"/.exec(question)?.[1] ?? '' };
    const made = await post(admin, `${path}/secret`, form);
    assert.equal(made.statusCode, 200);
    const renewed = /whsec_[\w+/=]+/.exec(made.body)?.[0];
    assert.ok(renewed && renewed !== secret);
    assert.match(made.body, /The old secret also works until/);
    const says = /got a new secret after this form was opened, so no other one was made/;
    assert.doesNotMatch(await expectRefused(`${path}/secret`, form, 409, says), /whsec_/);
    const audit = await stage.server.inject({ url: '/api/audit', headers: team.admin.headers });
    const { events } = audit.json<{ events: { action: string }[] }>();
    assert.equal(events.filter(({ action }) => action === 'event_endpoint.rotate').length, 1);
  });

  const CHANGES = ['', '/turn-on', '/turn-off', '/test', '/replay', '/secret', '/delete'];
  const FORM = { url: '', description: '', seen: 'first', since: '2026-11-01T00:00', 'types.*': 'on' };

  test('let nobody else see or change an endpoint', async () => {
    assert.match(await open(stranger, ENDPOINTS), /Let your programs know/);
    for (const url of [path, `${ENDPOINTS}/${NOBODYS}`]) {
      for (const rest of ['', '/secret', '/delete']) await open(stranger, `${url}${rest}`, 404);
      for (const rest of CHANGES) assert.equal((await post(stranger, `${url}${rest}`, FORM)).statusCode, 404, rest);
    }
    for (const rest of ['', '/secret', '/delete']) await open(member, `${path}${rest}`, 403);
    for (const url of [ENDPOINTS, ...CHANGES.map((rest) => `${path}${rest}`)]) {
      assert.equal((await post(member, url, FORM)).statusCode, 403, url);
      assert.equal((await post({ ...admin, csrfToken: 'guessed' }, url, FORM)).statusCode, 403, url);
    }
  });

  test('lead from an alert about an endpoint of the operator to what to run, and show it to no other team', async () => {
    const { server, app } = stage;
    const user = await getFirstAdmin(app.database, await app.events.getFirstTeamId());
    assert.ok(user);
    const first = await openSession(stage, user);
    const operate = async (method: 'POST' | 'PATCH' | 'DELETE', rest: string, payload?: object) => {
      const url = `/api/operator/events/endpoints${rest}`;
      return server.inject({ method, url, headers: OPERATOR, ...(payload && { payload }) });
    };
    const { id } = (await operate('POST', '', { url: `${receiver.url}/operator?token=canary-of-query` })).json();
    const { event } = (await operate('POST', `/${id}/test`)).json();
    assert.match(
      await open(first, `/events/${event}`),
      /data-label="Endpoint">http:\/\/127\.0\.0\.1:\d+\/hook\/operator/,
    );
    const active = await open(first, ENDPOINTS);
    assert.match(active, /<h2>For all customers<\/h2>.*\/hook\/operator\?….*Active/s);
    assert.doesNotMatch(active, /PATCHBAY_OPERATOR_TOKEN/);

    receiver.respondWith(410);
    const { id: customerId } = await putCustomer(stage, 'customer-of-pages');
    await app.database.transaction((tx) =>
      app.events.record(tx, { teamId: customerId, type: 'call.started', subject: 'x', data: { id: 'x' } }),
    );
    // The attempt is later than the event.
    stage.clock.advance(1_000);
    await sendAll();
    receiver.respond = receiver.accept;
    const alerts = await open(first, '/alerts');
    assert.match(alerts, /with the operator token\..*<a class="button" href="\/settings\/endpoints#customers">/s);
    const off = await open(first, ENDPOINTS);
    const commands = [...off.matchAll(/-d &#39;(.*?)&#39; (http\S+?)(?=[\n<])/g)].map(([, body = '', url = '']) => ({
      body: JSON.parse(body.replaceAll('&quot;', '"')),
      path: new URL(url).pathname,
    }));
    assert.deepEqual(
      commands.map(({ path: at }) => at),
      [`/api/operator/events/endpoints/${id}`, `/api/operator/events/endpoints/${id}/replay`],
    );
    const [turnOn, replay] = commands;
    assert.equal((await operate('PATCH', `/${id}`, turnOn?.body)).json().active, true);
    stage.clock.advance(1_000);
    assert.deepEqual((await operate('POST', `/${id}/replay`, replay?.body)).json(), { replaying: true });
    await sendAll();
    assert.equal(receiver.received.filter(({ event: { data } }) => data['id'] === 'x').length, 2);

    for (const url of [ENDPOINTS, '/alerts'])
      assert.doesNotMatch(await open(admin, url), /hook\/operator|For all customers/, url);
    // Neither can its admin change it.
    for (const rest of CHANGES)
      assert.equal((await post(first, `${ENDPOINTS}/${id}${rest}`, FORM)).statusCode, 404, rest);
    assert.equal((await operate('DELETE', `/${id}`)).statusCode, 204);
    assert.doesNotMatch(await open(first, ENDPOINTS), /For all customers|canary-of-query/);
  });

  test('delete an endpoint after asking', async () => {
    assert.match(await open(admin, `${path}/delete`), /Delete this endpoint\?/);
    await expectDone(`${path}/delete`, {}, /Endpoint deleted.*Let your programs know/s);
    await open(admin, path, 404);
  });
});
