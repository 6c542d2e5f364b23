import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { eraseAbout } from '../../src/events/index.ts';
import { GATHER_MS, LAST_ERROR, openAlertStage } from '../harness/alert-stage.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { breakTransactions } from '../harness/follow-events.ts';
import { holdAnswer } from '../harness/hold-database.ts';
import { runTogether } from '../harness/run-together.ts';
import { createTestErasure } from '../harness/team-erasure.ts';
import { useStage } from '../harness/use-stage.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ON = { mail: true, slack: true };
const OFF = { mail: false, slack: false };

/** The next read from this table is done at once, and goes on with what it found when it's told to. */
const holdRead = ({ database }: Pick<App, 'database'>, name: 'get' | 'allFrom', table: string) => {
  const read = database[name] as (...statement: unknown[]) => Promise<unknown>;
  const [hasRead, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const readSlowly = async (...statement: unknown[]): Promise<unknown> => {
    const found = await read(...statement);
    if (!statement.some((part) => typeof part === 'string' && part.includes(`from ${table}`))) return found;
    Object.assign(database, { [name]: read });
    hasRead.resolve();
    await goOn.promise;
    return found;
  };
  Object.assign(database, { [name]: readSlowly });
  return { hasRead: hasRead.promise, goOn: goOn.resolve };
};

onOneEngine('alerts', (engine) => {
  const stage = useStage(() => openAlertStage(engine));
  const receiver = useStage(startEventReceiver);

  test('are refused to strangers, and changed by admins only', async () => {
    const { ask, member } = await stage.newTeam();
    const url = '/api/events/alerts';
    assert.equal((await stage.server.inject({ url })).statusCode, 401);
    const { status, body } = await ask('GET', url, undefined, member.headers);
    const [shown, hidden] = [
      { ...ON, pages: true },
      { ...OFF, pages: false },
    ];
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          settings: { reconnect: shown, voicemail: hidden, missed: hidden, endpoint: shown, approval: shown },
          open: [],
          hasMore: false,
        },
      ],
    );
    assert.equal((await ask('PUT', url, { settings: body.settings }, member.headers)).status, 403);
    assert.equal((await ask('PUT', url, { settings: { reconnect: ON } })).status, 400);
  });

  test('about approvals stay as they are set if a program leaves them out that knows nothing of them', async () => {
    const { ask } = await stage.newTeam();
    const url = '/api/events/alerts';
    const { settings } = (await ask('GET', url)).body;
    const off = { ...settings, approval: { ...OFF, pages: false } };
    assert.deepEqual((await ask('PUT', url, { settings: off })).status, 200);
    const { approval: _, ...others } = settings;
    assert.equal((await ask('PUT', url, { settings: { ...others, missed: { ...ON, pages: true } } })).status, 200);
    assert.deepEqual((await ask('GET', url)).body.settings, { ...off, missed: { ...ON, pages: true } });
  });

  test('tell the admins by mail that a connection broke, once, and that it works again', async () => {
    const { team, ask, breakConnection, happen, mails, memberMails, open } = await stage.newTeam();
    const other = await stage.newTeam();
    await breakConnection('c1');
    await stage.look();
    assert.equal(mails().length, 0, 'Others may follow.');
    await stage.tell();
    const [mail = ''] = mails();
    assert.equal(mails().length, 1);
    assert.equal(mail.match(/^Acme \(c1@acme\.example\) needs to be reconnected\r?$/gm)?.length, 1, 'It is said once.');
    assert.ok(
      mail
        .replaceAll(/=\r?\n/g, '')
        .replaceAll('=22', '"')
        .includes(LAST_ERROR),
      'It is not cut off.',
    );
    assert.match(mail, /Open Acme in Patchbay and choose Reconnect\./);
    assert.match(mail, /http:\/\/localhost:\d+\/integrations\/acme/);
    assert.match(mail, /Turn alerts on or off: http:\/\/localhost:\d+\/settings\/alerts/);
    assert.match(mail, /text\/html/);
    assert.equal(memberMails(), 0);
    const [shown] = (await ask('GET', '/api/events/alerts')).body.open;
    assert.deepEqual([shown.kind, shown.subject, shown.url], ['reconnect', 'c1', `${stage.app.url}/integrations/acme`]);
    assert.deepEqual(await other.open(), []);

    await breakConnection('c1');
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.equal(mails().length, 1, 'The same trouble again is no other cause.');

    await happen('connection.recovered', 'c1');
    await stage.tell();
    assert.equal(mails().length, 2);
    assert.match(mails()[1] ?? '', /^Acme \(c1@acme\.example\) works again\r?$/m);
    assert.deepEqual(await open(), []);
    await stage.tell();
    assert.equal(mails().length, 2);
    assert.equal(other.mails().length, 0);
    const rows = await stage.app.database.all('select * from event_alerts where team_id = $1', [team.id]);
    assert.doesNotMatch(JSON.stringify(rows), /acme\.example/, 'What an alert says is sealed.');
  });

  test('are grouped, with what was resolved', async () => {
    const { breakConnection, happen, mails } = await stage.newTeam();
    await breakConnection('first');
    await stage.tell();
    assert.equal(mails().length, 1);
    await breakConnection('second', 'Brick');
    await stage.look();
    stage.clock.advance(GATHER_MS / 2);
    await breakConnection('third', 'Cloud');
    await happen('connection.disconnected', 'first');
    await stage.tell();
    assert.equal(mails().length, 1, 'There is at most one a minute.');
    stage.clock.advance(MINUTE_MS - GATHER_MS);
    await stage.look();
    await stage.send();
    assert.equal(mails().length, 2);
    const mail = mails()[1] ?? '';
    assert.match(mail, /^Brick \(second@acme\.example\) needs to be reconnected, and 2 more\r?$/m);
    assert.match(mail, /^Cloud \(third@acme\.example\) needs to be reconnected\r?$/m);
    assert.match(mail, /^Resolved\r?\n\r?\nAcme \(first@acme\.example\) was disconnected\r?$/m);
  });

  test('say nothing about trouble that is over before anyone was told', async () => {
    const { breakConnection, happen, mails, open } = await stage.newTeam();
    await breakConnection('blink');
    await stage.look();
    assert.equal((await open()).length, 1);
    await happen('connection.reconnected', 'blink');
    await stage.tell();
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.deepEqual([mails().length, (await open()).length], [0, 0]);
    await breakConnection('blink');
    await stage.tell();
    assert.equal(mails().length, 1, 'Broken again, it is another cause.');
  });

  test('go to Slack where a team wants that', async () => {
    const { breakConnection, mails, posts, useSlack, change } = await stage.newTeam();
    await useSlack();
    await breakConnection('both', 'A <b> & @channel');
    await stage.tell();
    assert.deepEqual([mails().length, posts().length], [1, 1]);
    assert.equal(posts()[0]?.text, 'A &lt;b&gt; &amp; @channel (both@acme.example) needs to be reconnected');
    const blocks = JSON.stringify(posts()[0]?.blocks);
    assert.match(blocks, /<http:\/\/localhost:\d+\/integrations\/acme\|Reconnect>/);
    assert.match(blocks, /<http:\/\/localhost:\d+\/settings\/alerts\|Turn alerts on or off>/);
    assert.match(blocks, /"verbatim":true/);
    await change({ reconnect: { mail: false, slack: true } });
    stage.clock.advance(MINUTE_MS);
    await breakConnection('slack only');
    await stage.tell();
    assert.deepEqual([mails().length, posts().length], [1, 2]);
  });

  test('about voicemails and missed calls come only if they are turned on, and end when the call is returned', async () => {
    const { happen, mails, open, change } = await stage.newTeam();
    const from = '+15551230001';
    await happen('call.voicemail', 'unwanted', { from });
    await stage.tell();
    assert.deepEqual([mails().length, (await open()).length], [0, 0]);
    await change({ voicemail: ON, missed: ON });
    await happen('call.missed', 'm1', { from, startedAt: '2026-11-15T12:00:00Z' });
    await happen('call.ended', 'm1');
    await happen('call.voicemail', 'm1', { from });
    await happen('call.voicemail', 'v1', { from: null });
    await stage.tell();
    assert.equal(mails().length, 1);
    assert.match(mails()[0] ?? '', /^Voicemail from \+1 555 123 0001\r?\nListen to it and call back/m);
    assert.match(mails()[0] ?? '', /^Voicemail from a private number\r?$/m);
    assert.match(mails()[0] ?? '', /http:\/\/localhost:\d+\/calls\/v1/);
    assert.doesNotMatch(
      mails()[0] ?? '',
      /Missed call/,
      'A call that turned out to have a voicemail is no missed one.',
    );
    await happen('call.returned', 'v1');
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.equal(mails().length, 1);
    assert.deepEqual(
      (await open()).map(({ title }) => title),
      ['Voicemail from +1 555 123 0001'],
    );
    await change({ voicemail: OFF });
    assert.deepEqual(await open(), []);
  });

  test('about missed calls respect business hours, by when the call came in', async () => {
    const { ask, happen, open, change } = await stage.newTeam();
    const closed = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
    const businessHours = { ...closed, monday: [{ opens: '09:00', closes: '17:00' }] };
    const settings = { timeZone: 'America/New_York', businessHours };
    assert.equal((await ask('PATCH', '/api/team', settings)).status, 200);
    await change({ missed: ON });
    await happen('call.missed', 'early', { from: '+15550000001', startedAt: '2026-11-16T13:59:59Z' });
    await happen('call.missed', 'open', { from: '+15550000002', startedAt: '2026-11-16T14:00:00Z' });
    await happen('call.missed', 'late', { from: '+15550000003', startedAt: '2026-11-16T22:00:00Z' });
    await happen('call.missed', 'sunday', { from: '+15550000004', startedAt: '2026-11-15T15:00:00Z' });
    await stage.look();
    assert.deepEqual(
      (await open()).map(({ title }) => title),
      ['Missed call from +1 555 000 0002'],
    );
  });

  test('tell that an endpoint was turned off, and that it is on again', async () => {
    const { ask, admin, happen, mails } = await stage.newTeam();
    const payload = { url: `${new URL('/gone', receiver.url).href}?token=canary-of-endpoint` };
    const made = await stage.server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload },
    });
    receiver.respondWith(410);
    await happen('call.started', 'e1');
    await stage.app.events.sending.sendAll();
    await stage.tell();
    assert.equal(mails().length, 1);
    assert.match(mails()[0] ?? '', /^Events are no longer sent to http:\/\/127\.0\.0\.1:\d+\/gone\?…\r?$/m);
    assert.match(mails()[0] ?? '', /responded with 410/);
    assert.ok(mails()[0]?.includes(`${stage.app.url}/settings/endpoints/${made.json().id}`));
    assert.doesNotMatch(mails()[0] ?? '', /canary/);
    receiver.respond = receiver.accept;
    await ask('PATCH', `/api/events/endpoints/${made.json().id}`, { active: true });
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.match(mails()[1] ?? '', /^Events are sent to http:\/\/127\.0\.0\.1:\d+\/gone\?… again\r?$/m);
    assert.equal(mails().length, 2);
  });

  test('wait for a mail server that refuses for now', async () => {
    const { breakConnection, mails } = await stage.newTeam();
    await breakConnection('waiting');
    stage.mail.refuseWith(() => ({ responseCode: 451 }));
    await stage.tell();
    assert.equal(mails().length, 0);
    stage.mail.refuseWith(null);
    const { database, notices } = stage.app;
    const waiting = await database.all<{ id: string; teamId: string }>(
      `select id, team_id as "teamId" from event_alert_dispatches where state = 'queued'`,
    );
    for (const { id, teamId } of waiting) await notices.alerts.send({ teamId, dispatchId: id, attempt: 1 });
    assert.equal(mails().length, 0, 'An attempt that is over isn’t made again.');
    await stage.send();
    await stage.send();
    assert.equal(mails().length, 1);
  });

  test('are dismissed by any member, and come back only if it happens again after they were resolved', async () => {
    const { team, member, breakConnection, happen, open, mails, ask } = await stage.newTeam();
    const dismiss = async (id: string) => {
      const url = `/api/events/alerts/${id}/dismiss`;
      const { statusCode } = await stage.server.inject({ method: 'POST', url, headers: member.headers });
      return statusCode;
    };
    await breakConnection('c');
    await breakConnection('other');
    await stage.look();
    const id = (await open()).find(({ title }) => title.includes('(c@'))?.id ?? assert.fail();
    assert.deepEqual([await dismiss(id), await dismiss(id), (await open()).length], [204, 404, 1]);
    assert.equal(await stage.app.events.alerts.count({ teamId: team.id, role: 'admin' }), 1);
    await breakConnection('c');
    await stage.tell();
    assert.equal((await open()).length, 1);
    assert.doesNotMatch(mails().join(), /c@acme\.example/, 'Nobody is told what was dismissed before.');
    await happen('connection.recovered', 'c');
    await breakConnection('c');
    await stage.look();
    assert.equal((await open()).length, 2);
    const { events } = (await ask('GET', '/api/audit')).body;
    const dismissed = events.filter(({ action }: { action: string }) => action === 'event_alerts.dismiss');
    assert.deepEqual(
      dismissed.map(({ target, detail }: { target: string; detail: object }) => [target, detail]),
      [[id, { kind: 'reconnect' }]],
    );
  });
});

onEachEngine('alerts that are opened, sent, and erased beside something else', (engine) => {
  const stage = useStage(() => openAlertStage(engine));
  const receiver = useStage(startEventReceiver);
  const erasure = createTestErasure(stage);

  test('are told once by two processes that look at the same time', async () => {
    const another = stage.startAnother();
    const { breakConnection, mails, open } = await stage.newTeam();
    const lookTogether = () => Promise.all([stage.look(), another.notices.alerts.look(), stage.look()]);
    for (let index = 0; index < 5; index++) {
      await breakConnection(`together-${index}`);
      await lookTogether();
    }
    assert.equal((await open()).length, 5);
    stage.clock.advance(GATHER_MS);
    await lookTogether();
    await Promise.all([stage.send(), stage.send(another)]);
    assert.equal(mails().length, 1);
    assert.match(mails()[0] ?? '', /and 4 more/);
  });

  test('that another process is sending are not sent by one that was slower', async () => {
    const { database } = stage.app;
    const { breakConnection, mails } = await stage.newTeam();
    await breakConnection('sending');
    await stage.look();
    stage.clock.advance(GATHER_MS);
    await stage.look();
    const slow = holdRead(stage.app, 'get', 'event_alert_settings');
    const sendingSlowly = stage.send();
    await slow.hasRead;
    const [sent, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { run } = database;
    const storeLate: typeof run = async (text, values) => {
      if (!text.startsWith('update event_alert_dispatches set state = $4')) return run(text, values);
      Object.assign(database, { run });
      sent.resolve();
      await stored.promise;
      return run(text, values);
    };
    Object.assign(database, { run: storeLate });
    const sending = stage.send();
    await sent.promise;
    slow.goOn();
    await sendingSlowly;
    stored.resolve();
    await sending;
    assert.equal(mails().length, 1);
  });

  test('that are over aren’t opened again by a process that is slower than the others', async () => {
    const slow = stage.startAnother();
    const { breakConnection, happen, mails, open } = await stage.newTeam();
    await stage.look();
    await breakConnection('passing');
    const held = holdRead(slow, 'get', 'event_alert_log');
    const looking = slow.notices.alerts.look();
    await held.hasRead;
    await stage.tell();
    assert.deepEqual([mails().length, (await open()).length], [1, 1]);
    await happen('connection.recovered', 'passing');
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.deepEqual([mails().length, (await open()).length], [2, 0]);
    held.goOn();
    await looking;
    assert.deepEqual(await open(), []);
    stage.clock.advance(MINUTE_MS);
    await stage.tell();
    assert.equal(mails().length, 2);
  });

  test('of a kind that is turned off at the same moment are not opened', async () => {
    const slow = stage.startAnother();
    const { breakConnection, open, change } = await stage.newTeam();
    await stage.look();
    await breakConnection('unwanted');
    const held = holdRead(slow, 'allFrom', 'event_alert_settings');
    const looking = slow.notices.alerts.look();
    await held.hasRead;
    await change({ reconnect: OFF });
    held.goOn();
    await looking;
    assert.deepEqual(await open(), []);
  });

  test('about endpoints are not opened by an endpoint that is gone while they are turned off', async () => {
    const { ask, admin, happen, open, change } = await stage.newTeam();
    await change({ endpoint: ON });
    const made = await stage.server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload: { url: receiver.url } },
    });
    receiver.respondWith(410);
    await happen('call.started', 'e1');
    await runTogether(stage.app.database, 'event_alert_settings', [
      () => change({ endpoint: OFF }),
      () => stage.app.events.sending.sendAll(),
    ]);
    receiver.respond = receiver.accept;
    assert.equal((await ask('GET', `/api/events/endpoints/${made.json().id}`)).body.inactiveReason, 'gone');
    assert.deepEqual(await open(), []);
  });

  test('about an endpoint stay open if it’s gone again right after someone has turned it on', async () => {
    const { ask, admin, happen, open } = await stage.newTeam();
    const made = await stage.server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload: { url: receiver.url } },
    });
    receiver.respondWith(410);
    await happen('call.started', 'e1');
    await stage.app.events.sending.sendAll();
    await ask('PATCH', `/api/events/endpoints/${made.json().id}`, { active: true });
    const listing = holdAnswer(stage.app.database, 'all', "kind = 'endpoint'");
    const looking = stage.look();
    await listing.answered;
    await happen('call.started', 'e2');
    await stage.app.events.sending.sendAll();
    receiver.respond = receiver.accept;
    listing.release();
    await looking;
    assert.equal((await ask('GET', `/api/events/endpoints/${made.json().id}`)).body.inactiveReason, 'gone');
    assert.equal((await open()).length, 1);
  });

  test('continue after a restart at any point, and are sent once', async () => {
    const { team, breakConnection, mails } = await stage.newTeam();
    await breakConnection('restart');
    await stage.look();
    const next = stage.startAnother();
    stage.clock.advance(GATHER_MS);
    await next.notices.alerts.look();
    assert.equal(mails().length, 0);
    await stage.app.database.run(`update event_alert_dispatches set state = 'sending' where team_id = $1`, [team.id]);
    await stage.send(stage.startAnother());
    const row = await stage.app.database.get<{ state: string }>(
      'select state from event_alert_dispatches where team_id = $1',
      [team.id],
    );
    assert.equal(row?.state, 'unclear', 'It may have been accepted before the process ended.');
    assert.equal(mails().length, 0);
  });

  test('are neither lost nor repeated if a transaction is rolled back at any step', async () => {
    const { breakConnection, mails, open } = await stage.newTeam();
    await breakConnection('rolled back');
    const opening = breakTransactions(stage.app);
    await assert.rejects(stage.look(), /rolled back/);
    opening.mend();
    assert.deepEqual(await open(), []);
    await stage.look();
    assert.equal((await open()).length, 1);
    stage.clock.advance(GATHER_MS);
    const queuing = breakTransactions(stage.app);
    await stage.look();
    queuing.mend();
    await stage.send();
    assert.equal(mails().length, 0);
    await stage.look();
    await stage.send();
    assert.deepEqual([mails().length, (await open()).length], [1, 1]);
  });

  test('are told in time after the clock was set back', async () => {
    const { breakConnection, mails } = await stage.newTeam();
    await breakConnection('before');
    await stage.tell();
    stage.clock.advance(-DAY_MS);
    await breakConnection('after');
    await stage.look();
    stage.clock.advance(MINUTE_MS);
    await stage.look();
    await stage.send();
    assert.equal(mails().length, 2);
    await breakConnection('later');
    await stage.look();
    stage.clock.advance(-DAY_MS);
    await stage.look();
    await stage.send();
    assert.equal(mails().length, 3);
    stage.clock.advance(2 * DAY_MS);
  });

  test('that wait for the next attempt are not sent before it by a process that was slow with the one before', async () => {
    const { team, breakConnection, mails } = await stage.newTeam();
    await breakConnection('overtaken');
    await stage.look();
    stage.clock.advance(GATHER_MS);
    await stage.look();
    const readDispatch = () =>
      stage.app.database.get<{ state: string; attempts: number }>(
        'select state, attempts from event_alert_dispatches where team_id = $1',
        [team.id],
      );
    const held = holdRead(stage.app, 'get', 'event_alert_settings');
    const slow = stage.send();
    await held.hasRead;
    stage.mail.refuseWith(() => ({ responseCode: 451 }));
    await stage.send();
    stage.mail.refuseWith(null);
    assert.deepEqual({ ...(await readDispatch()) }, { state: 'queued', attempts: 1 });
    held.goOn();
    await slow;
    assert.deepEqual([mails().length, { ...(await readDispatch()) }], [0, { state: 'queued', attempts: 1 }]);
    await stage.send();
    assert.deepEqual([mails().length, { ...(await readDispatch()) }], [1, { state: 'sent', attempts: 2 }]);
  });

  test('summarize a flood, and keep a bounded number of rows', async () => {
    const { team, mails, ask, change } = await stage.newTeam();
    await change({ voicemail: ON });
    const events = Array.from({ length: 1_212 }, (_, index) => ({
      ...{ teamId: team.id, type: 'call.voicemail' as const, subject: `flood-${index}` },
      data: { id: `flood-${index}`, from: '+15550000009' },
    }));
    for (let start = 0; start < events.length; start += 200) await stage.record(...events.slice(start, start + 200));
    await stage.tell();
    assert.equal(mails().length, 1);
    assert.match(mails()[0] ?? '', /^Voicemail from \+1 555 000 0009, and 1,211 more\r?$/m);
    assert.match(mails()[0] ?? '', /^and 1,192 more\r?$/m);
    const row = await stage.app.database.get<{ n: number }>(
      'select count(*) as n from event_alerts where team_id = $1',
      [team.id],
    );
    assert.equal(Number(row?.n), 1_000);
    const { open, hasMore } = (await ask('GET', '/api/events/alerts')).body;
    assert.deepEqual([open.length, hasMore], [100, true]);
    assert.equal(await stage.app.events.alerts.count({ teamId: team.id, role: 'admin' }), 100);
  });

  test('forget a number and a team that are erased', async () => {
    const { team, happen, change, open, breakConnection } = await stage.newTeam();
    await change({ voicemail: ON });
    await happen('call.voicemail', 'secret-call', { from: '+15557654321' });
    await breakConnection('c');
    await stage.tell();
    assert.equal((await open()).length, 2);
    await stage.app.database.transaction((tx) => eraseAbout(tx, team.id, ['secret-call']));
    assert.deepEqual(
      (await open()).map(({ title }) => title),
      ['Acme (c@acme.example) needs to be reconnected'],
    );
    await stage.look();
    assert.equal((await open()).length, 1, 'What the log says about it opens nothing again.');
    await erasure.begin(team.id);
    await stage.look();
    await erasure.expectGone(team.id);
  });

  test('about calls end after a week, and resolved ones are kept for 30 days', async () => {
    const { team, happen, change, open, breakConnection } = await stage.newTeam();
    await change({ voicemail: ON });
    await happen('call.voicemail', 'old', { from: '+15550000001' });
    await breakConnection('kept');
    await breakConnection('over');
    await stage.tell();
    await happen('connection.recovered', 'over');
    await stage.look();
    stage.clock.advance(7 * DAY_MS);
    await stage.app.notices.alerts.prune();
    assert.equal((await open()).length, 1);
    await stage.tell();
    stage.clock.advance(30 * DAY_MS);
    await stage.app.notices.alerts.prune();
    const rows = await stage.app.database.all<{ subject: string }>(
      'select subject from event_alerts where team_id = $1',
      [team.id],
    );
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      ['kept'],
    );
    await stage.app.events.prune();
    assert.equal((await open())[0]?.title, 'Acme (kept@acme.example) needs to be reconnected');
  });
});
