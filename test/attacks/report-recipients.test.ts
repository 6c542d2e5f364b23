import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, describe, test } from 'node:test';
import { failureOfResponse } from '../../src/notices/slack/slack-failure.ts';
import { Secret } from '../../src/platform/index.ts';
import { createMailer } from '../../src/platform/mailer.ts';
import { makeReport } from '../../src/reports/runs/make-report.ts';
import { sendReport } from '../../src/reports/sending/send-report.ts';
import { COMMAND_LINE, getTeam } from '../../src/teams/index.ts';
import { SECRETS } from '../harness/app.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const FROM = 'Patchbay <patchbay@hooks.example>';
const WEEK = '2026-W45';
const BOUNDARY = 'one-click';
/** As RFC 8058 prefers it (section 3.2, and the example in 8.3). */
const MULTIPART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${BOUNDARY}--\r\n`;

describe('a report’s recipients', () => {
  const mail = useStage(() => startMailServer());
  const stage = useStage(() => openTelephonyStage('sqlite', { env: { SMTP_URL: mail.url, MAIL_FROM: FROM } }));
  beforeEach(() => {
    mail.received.length = 0;
    mail.refuseWith(null);
  });

  const newTeam = async (reportRecipients: string[]) => {
    const { team, admin } = await stage.newTeam({ ageDays: 7 });
    const setRecipients = async (addresses: string[]): Promise<void> => {
      const payload = { reportRecipients: addresses };
      const set = await stage.server.inject({ method: 'PATCH', url: '/api/team', headers: admin.headers, payload });
      assert.equal(set.statusCode, 200);
    };
    await setRecipients(reportRecipients);
    const run = async () =>
      (
        await stage.server.inject({
          url: `/api/cron/weekly-report?team=${team.id}`,
          headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
        })
      ).json().reports[0];
    const send = async (): Promise<void> => {
      const mailer = createMailer({ url: new Secret(mail.url), from: FROM });
      const context = { ...stage.app, mailer, production: false };
      const rows = await stage.app.database.all<{ id: string; attempts: number }>(
        'select id, attempts from report_deliveries where team_id = $1',
        [team.id],
      );
      for (const { id, attempts } of rows)
        await sendReport(context, { teamId: team.id, dispatchId: id, attempt: attempts + 1 });
    };
    return { team, headers: admin.headers, setRecipients, run, send };
  };
  const reached = (): string[] => mail.received.flatMap(({ to }) => to).sort();

  test('can unsubscribe with one click, in either form the click may take', async () => {
    const { run, send } = await newTeam(['lead@team.example']);
    await run();
    await send();
    const headers = mail.received[0]?.raw.replaceAll(/\r\n\s+/g, '') ?? '';
    const link = /List-Unsubscribe: ?<([^>]+)>/.exec(headers)?.[1] ?? assert.fail('no link');
    const clicked = await stage.server.inject({
      method: 'POST',
      url: new URL(link).pathname,
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      payload: MULTIPART,
    });
    assert.equal(clicked.statusCode, 200);
  });

  test('who are removed while the mail server is down get nothing when it is back', async () => {
    const { setRecipients, run, send } = await newTeam(['gone@team.example', 'lead@team.example']);
    await run();
    mail.refuseWith(() => ({ responseCode: 451 }));
    await send();
    await setRecipients(['lead@team.example']);
    mail.refuseWith(null);
    await send();
    assert.deepEqual(reached(), ['lead@team.example']);
  });

  test('who are added when others have the report don’t get it, even if someone was left out', async () => {
    const { setRecipients, run, send } = await newTeam(['gone@team.example', 'lead@team.example']);
    await run();
    await setRecipients(['lead@team.example']);
    await send();
    await setRecipients(['lead@team.example', 'late@team.example']);
    assert.equal((await run()).state, 'existing');
    await send();
    assert.deepEqual(reached(), ['lead@team.example']);
  });

  test('whose mail server refused the report aren’t tried again because Slack is set up', async () => {
    const { team, headers, run, send } = await newTeam(['lead@team.example']);
    await run();
    mail.refuseWith(() => ({ responseCode: 550 }));
    await send();
    mail.refuseWith(null);
    const payload = { url: 'https://hooks.slack.com/services/T0/B0/x' };
    const put = await stage.server.inject({ method: 'PUT', url: '/api/reports/slack', headers, payload });
    assert.equal(put.statusCode, 200, put.body);
    const rows = await stage.app.database.all<{ state: string }>(
      "select state from report_deliveries where team_id = $1 and channel = 'mail'",
      [team.id],
    );
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['failed'],
    );
  });

  test('get nothing anymore as soon as their team is being erased', async () => {
    const { team, run, send } = await newTeam(['lead@team.example']);
    assert.equal((await run()).state, 'created');
    await stage.app.erasure.beginAny(COMMAND_LINE, team.id);
    await send();
    assert.deepEqual(reached(), []);
  });

  test('get a report made without a mail server from a service that has one', async () => {
    const { team, run, send } = await newTeam(['lead@team.example']);
    const found = (await getTeam(stage.app.database, team.id)) ?? assert.fail('no team');
    const withoutMail = { ...stage.app, mailer: null, production: false };
    assert.equal((await makeReport(withoutMail, found, WEEK)).state, 'created');
    assert.equal((await run()).state, 'existing');
    await send();
    assert.deepEqual(reached(), ['lead@team.example']);
  });

  test('given as one address by an identity provider are one recipient, or none', async () => {
    const mailer = createMailer({ url: new Secret(mail.url), from: FROM });
    for (const to of ['a@one.example, b@two.example', 'group: a@one.example, b@two.example;'])
      await mailer.send({ to, subject: 'Week 45', text: 'Figures' }, async () => undefined).catch(() => undefined);
    for (const { to } of mail.received) assert.ok(to.length <= 1, `One row of the ledger went to ${to.join(' and ')}.`);
  });

  test('are not considered refused for good by a mail server that accepts nothing from anyone', async () => {
    const closed = createServer((socket) => void socket.end('554 no service today\r\n')).listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const url = new Secret(`smtp://127.0.0.1:${(closed.address() as AddressInfo).port}`);
    const mail = { to: 'lead@team.example', subject: 'Week 45', text: 'Figures' };
    const failure = await createMailer({ url, from: FROM }).send(mail, async () => undefined);
    closed.close();
    assert.equal(failure?.kind, 'later');
  });

  test('in Slack get no second message after a gateway timeout, which does not mean it was not accepted', () => {
    const answer = { status: 504, headers: {}, body: Buffer.from('upstream request timeout') };
    assert.equal(failureOfResponse(answer)?.kind, 'unclear');
  });
});
