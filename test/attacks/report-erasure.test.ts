import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Secret } from '../../src/platform/index.ts';
import { createMailer } from '../../src/platform/mailer.ts';
import type { ReportRow } from '../../src/reports/figures/report-store.ts';
import { openFigures } from '../../src/reports/figures/sealed-figures.ts';
import { sendReport } from '../../src/reports/sending/send-report.ts';
import { SECRETS } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { COLLEAGUE, newCallSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const FROM = 'Patchbay <patchbay@hooks.example>';
const WEEK = '2026-W46';
const ERASED = '+4915112345678';
const OTHER = '+4915187654321';

onEachEngine('an erased number', (engine) => {
  const mail = useStage(() => startMailServer());
  const stage = useStage(() => {
    const env = { SMTP_URL: mail.url, MAIL_FROM: FROM };
    return openTelephonyStage(engine, { env, answer: { forwardTo: [COLLEAGUE] } });
  });
  const team = prepare(() => stage.newTeam());

  const miss = async (from: string): Promise<void> => {
    const sid = newCallSid();
    await team.line.rings(sid, { From: from });
    await team.line.dialed(sid, 'no-answer', { From: from });
    await team.line.status(sid, 'completed', { From: from });
  };

  before(async () => {
    for (const from of [ERASED, OTHER]) await miss(from);
    await stage.app.telephony.settle();
    stage.clock.advance(86_400_000);
    const run = await stage.server.inject({
      url: `/api/cron/weekly-report?team=${team.team.id}`,
      headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` },
    });
    assert.equal(run.json().created, 1);
    assert.match((await team.get(`/api/reports/${WEEK}`)).body, new RegExp(ERASED.slice(1)));
    const erased = await stage.server.inject({
      method: 'POST',
      url: '/api/telephony/erase',
      headers: team.admin.headers,
      payload: { number: ERASED },
    });
    assert.equal(erased.json().calls, 1);
  });

  test('is no longer named in any report or revision', async () => {
    const shown = (await team.get(`/api/reports/${WEEK}`)).body;
    assert.ok(shown.includes(OTHER), 'Others are still named.');
    assert.ok(!shown.includes(ERASED), 'The report that was made before names the erased number.');
    const rows = await stage.app.database.all<ReportRow>(
      'select id, team_id as "teamId", figures from reports where team_id = $1',
      [team.team.id],
    );
    const figures = await Promise.all(rows.map((row) => openFigures(stage.app.vault, row)));
    assert.ok(!JSON.stringify(figures).includes(ERASED), 'A revision names it, sealed.');
  });

  test('is in no email that was still waiting to be sent', async () => {
    const mailer = createMailer({ url: new Secret(mail.url), from: FROM });
    const context = { ...stage.app, mailer, production: false };
    const waiting = await stage.app.database.all<{ id: string }>(
      'select id from report_deliveries where team_id = $1',
      [team.team.id],
    );
    for (const { id } of waiting) await sendReport(context, { teamId: team.team.id, dispatchId: id, attempt: 1 });
    const [sent] = mail.received.map(({ raw }) => raw.replaceAll('=\r\n', ''));
    assert.ok(sent?.includes(OTHER));
    assert.ok(!sent?.includes(ERASED), 'The mail names the erased number.');
  });
});
