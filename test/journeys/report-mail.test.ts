import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type Engine, Secret } from '../../src/platform/index.ts';
import { createMailer } from '../../src/platform/mailer.ts';
import { sendReport } from '../../src/reports/sending/send-report.ts';
import { lastFinishedWeek } from '../../src/reports/week/week.ts';
import { SECRETS } from '../harness/app.ts';
import { onEachEngine, onOneEngine } from '../harness/databases.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FROM = 'Patchbay <patchbay@hooks.example>';

/** The service of a suite, its mail server, and its reports. */
const useHouse = (engine: Engine) => {
  const mail = useStage(() => startMailServer());
  const stage = useStage(() => openTelephonyStage(engine, { env: { SMTP_URL: mail.url, MAIL_FROM: FROM } }));
  beforeEach(() => {
    mail.received.length = 0;
    mail.refuseWith(null);
    mail.breakConnection(null);
  });

  const run = async (teamId: string) =>
    (
      await stage.server.inject({
        url: `/api/cron/weekly-report?team=${teamId}`,
        headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
      })
    ).json().reports[0];

  const sendWith = (url: string, attempt: Parameters<typeof sendReport>[1]) =>
    sendReport(
      { ...stage.app, mailer: createMailer({ url: new Secret(url), from: FROM }), production: false },
      attempt,
    );

  const rows = (teamId: string) =>
    stage.app.database.all<{ id: string; state: string; problem: string | null; attempts: number }>(
      'select id, state, problem, attempts from report_deliveries where team_id = $1 order by created_at, id',
      [teamId],
    );

  const sendAll = async (teamId: string, url = mail.url) => {
    for (const { id, attempts } of await rows(teamId))
      await sendWith(url, { teamId, dispatchId: id, attempt: attempts + 1 });
    return (await rows(teamId)).map(({ state }) => state);
  };

  return { mail, stage, run, sendWith, rows, sendAll };
};

onOneEngine('a report by email', (engine) => {
  const { mail, stage, run, sendWith, rows, sendAll } = useHouse(engine);

  test('arrives once per recipient, with its figures, and can be unsubscribed with one click', async () => {
    const { team, admin } = await stage.newTeam({ ageDays: 7 });
    const recipients = ['lead@team.example', 'LEAD@team.example', 'office@team.example'];
    const changed = await stage.server.inject({
      method: 'PATCH',
      url: '/api/team',
      headers: admin.headers,
      payload: { reportRecipients: recipients },
    });
    assert.equal(changed.statusCode, 200);
    const report = await run(team.id);
    assert.equal(report.state, 'created');
    assert.equal(report.deliveries, 2, 'Written twice, one address is still one recipient.');
    assert.equal((await run(team.id)).deliveries, 2);
    assert.deepEqual(await sendAll(team.id), ['sent', 'sent']);
    assert.deepEqual(await sendAll(team.id), ['sent', 'sent'], 'Run again, the jobs send nothing more.');
    assert.deepEqual(mail.received.flatMap(({ to }) => to).sort(), ['lead@team.example', 'office@team.example']);
    const [first] = mail.received;
    assert.match(first?.raw ?? '', /^From: Patchbay <patchbay@hooks\.example>/m);
    assert.match(first?.raw ?? '', /^Message-ID: <report-[0-9a-f-]{36}@localhost>/m);
    assert.match(first?.raw ?? '', /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    assert.match(first?.raw ?? '', /multipart\/alternative/);
    const link = /List-Unsubscribe: ?<([^>]+)>/.exec(first?.raw.replaceAll(/\r\n\s+/g, '') ?? '')?.[1] ?? '';
    const path = new URL(link).pathname;
    assert.equal((await stage.server.inject(path)).statusCode, 200);
    const clicked = await stage.server.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    assert.equal(clicked.statusCode, 200);
    assert.equal((await stage.server.inject({ method: 'POST', url: `${path.slice(0, -8)}AAAAAAAA` })).statusCode, 404);
    stage.clock.advance(7 * 86_400_000);
    const next = await run(team.id);
    assert.equal(next.deliveries, 2);
    const states = await sendAll(team.id);
    assert.deepEqual(states.slice(2).sort(), ['sent', 'unsubscribed']);
  });

  test('waits for a mail server that is down, says until when, and arrives once it is back', async () => {
    const { team, get } = await stage.newTeam({ ageDays: 7 });
    const { week } = await run(team.id);
    const away = await startMailServer();
    await away.stop();
    const before = await stage.app.jobs.count();
    assert.deepEqual(await sendAll(team.id, away.url), ['queued']);
    assert.deepEqual((await get(`/api/reports/${week}`)).json().deliveries, [
      {
        channel: 'mail',
        state: 'queued',
        problem: 'The mail server could not be reached (ESOCKET).',
        sentAt: null,
        nextTryAt: new Date(stage.clock.now() + 60_000).toISOString(),
      },
    ]);
    assert.equal((await stage.app.jobs.count()).queued, before.queued + 1);
    const back = await startMailServer({ port: away.port });
    const [{ id = '' } = {}] = await rows(team.id);
    await sendWith(back.url, { teamId: team.id, dispatchId: id, attempt: 1 });
    assert.equal(back.received.length, 0, 'An attempt that was made already does nothing.');
    assert.deepEqual(await sendAll(team.id, back.url), ['sent']);
    assert.equal(back.received.length, 1);
    await back.stop();
  });

  test('that nobody accepts is given up after three days', async () => {
    const { team } = await stage.newTeam({ ageDays: 7 });
    await run(team.id);
    mail.refuseWith(() => ({ responseCode: 451 }));
    stage.clock.advance(3 * 86_400_000 - 1);
    assert.deepEqual(await sendAll(team.id), ['queued']);
    stage.clock.advance(1);
    assert.deepEqual(await sendAll(team.id), ['failed']);
    assert.equal((await rows(team.id))[0]?.problem, 'The mail server responded with 451.');
  });

  test('has no recipient if the team names nobody, and the report says so', async () => {
    const { team, admin, get } = await stage.newTeam({ ageDays: 7 });
    const payload = { reportRecipients: [] };
    await stage.server.inject({ method: 'PATCH', url: '/api/team', headers: admin.headers, payload });
    const { week, state, deliveries } = await run(team.id);
    assert.deepEqual([state, deliveries], ['created', 0]);
    const [told, ...more] = (await get(`/api/reports/${week}`)).json().deliveries;
    assert.equal(told.state, 'skipped');
    assert.equal(told.problem, 'The team has no recipients with an email address, and Slack is not set up.');
    assert.deepEqual(more, []);
  });

  test('is sent to nobody if its week ended before the team was created, not even later', async () => {
    const { team, admin, get } = await stage.newTeam();
    const ask = async (query: string) =>
      (
        await stage.server.inject({
          url: `/api/cron/weekly-report?team=${team.id}${query}`,
          headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
        })
      ).json();
    assert.deepEqual((await ask('')).reports, [], 'A new team gets no report of its own accord.');
    const week = lastFinishedWeek(stage.clock.now(), 'UTC');
    const [asked] = (await ask(`&week=${week}`)).reports;
    assert.deepEqual([asked.state, asked.deliveries, asked.predatesTeam], ['created', 0, true]);
    const payload = { reportRecipients: ['lead@team.example'] };
    await stage.server.inject({ method: 'PATCH', url: '/api/team', headers: admin.headers, payload });
    assert.equal((await ask(`&week=${week}`)).reports[0].deliveries, 0);
    assert.deepEqual(await sendAll(team.id), ['skipped']);
    assert.equal(mail.received.length, 0);
    const report = (await get(`/api/reports/${week}`)).json();
    assert.equal(report.predatesTeam, true);
    const nobody = { channel: 'mail', state: 'skipped', problem: 'The week ended before the team was created.' };
    assert.deepEqual(report.deliveries, [{ ...nobody, sentAt: null, nextTryAt: null }]);
  });

  test('refused by the mail server is given up with the reason', async () => {
    const { team } = await stage.newTeam({ ageDays: 7 });
    await run(team.id);
    mail.refuseWith(() => ({ responseCode: 550 }));
    assert.deepEqual(await sendAll(team.id), ['failed']);
    assert.equal((await rows(team.id))[0]?.problem, 'The mail server responded with 550.');
    assert.equal(mail.received.length, 0);
  });

  test('goes to the admins if nobody else is named, through the service’s own jobs', async () => {
    const { team, admin } = await stage.newTeam({ ageDays: 7 });
    await run(team.id);
    stage.app.jobs.start();
    await waitUntil('it has come', async () => mail.received.some(({ to }) => to.includes(admin.user.email ?? '')));
    await stage.app.jobs.stop({ drainMs: 5_000 });
  });
});

onEachEngine('a report that is being sent by email', (engine) => {
  const { mail, stage, run, sendAll } = useHouse(engine);

  test('sent by two processes at once arrives once', async () => {
    const { team } = await stage.newTeam({ ageDays: 7 });
    await run(team.id);
    await Promise.all([sendAll(team.id), sendAll(team.id)]);
    assert.deepEqual(await sendAll(team.id), ['sent']);
    assert.equal(mail.received.length, 1);
  });

  test('that may have been accepted when the connection broke is not sent twice, and the ledger says so', async () => {
    const { team } = await stage.newTeam({ ageDays: 7 });
    await run(team.id);
    mail.breakConnection('after');
    assert.deepEqual(await sendAll(team.id), ['unclear']);
    mail.breakConnection(null);
    assert.deepEqual(await sendAll(team.id), ['unclear']);
    assert.equal(mail.received.length, 1);
  });

  test('interrupted by the end of the process is unclear, and not sent twice', async () => {
    const { team } = await stage.newTeam({ ageDays: 7 });
    await run(team.id);
    await stage.app.database.run(`update report_deliveries set state = 'sending' where team_id = $1`, [team.id]);
    assert.deepEqual(await sendAll(team.id), ['unclear']);
    assert.equal(mail.received.length, 0);
  });
});
