import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { handleRunReports } from '../../src/reports/runs/run-reports.job.ts';
import { DAYS } from '../../src/teams/index.ts';
import { SECRETS } from '../harness/app.ts';
import { CALLER, COLLEAGUE, newCallSid, OUR_NUMBER, openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK = '2026-W46';

describe('a new revision of a report', () => {
  const stage = useStage(() => openTelephonyStage('sqlite', { answer: { forwardTo: [COLLEAGUE] } }));

  const newReport = async () => {
    const team = await stage.newTeam();
    const sid = newCallSid();
    await team.line.rings(sid, { Timestamp: 'Sun, 15 Nov 2026 12:00:00 +0000' });
    await team.line.dialed(sid, 'no-answer');
    await team.line.status(sid, 'completed', { Timestamp: 'Sun, 15 Nov 2026 12:00:30 +0000' });
    await stage.app.telephony.settle();
    const change = async (method: 'PATCH' | 'DELETE', url: string, payload?: object): Promise<void> => {
      const { headers } = team.admin;
      const changed = await stage.server.inject({ method, url, headers, ...(payload && { payload }) });
      assert.ok(changed.statusCode < 300, changed.body);
    };
    const run = async (): Promise<void> => {
      const url = `/api/cron/weekly-report?team=${team.team.id}&week=${WEEK}`;
      const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
      assert.equal((await stage.server.inject({ url, headers })).json().failed, 0);
    };
    const read = async () => (await team.get(`/api/reports/${WEEK}`)).json();
    return { ...team, change, run, read };
  };

  test('appears by itself if data came late and nobody calls the cron endpoint', async () => {
    const { line, read } = await newReport();
    stage.clock.advance(86_400_000);
    const runByItself = () => handleRunReports({ ...stage.app, mailer: null, production: false });
    await runByItself();
    assert.equal((await read()).figures.calls.inbound.value, 1);
    await line.status(newCallSid(), 'completed', { Timestamp: 'Sat, 14 Nov 2026 08:00:00 +0000', CallDuration: '3' });
    await stage.app.telephony.settle();
    stage.clock.advance(86_400_000);
    await runByItself();
    const { revision, figures } = await read();
    assert.deepEqual([revision, figures.calls.inbound.value], [2, 2]);
  });

  test('is not caused by changed business hours: the week keeps those of its time', async () => {
    const { change, run, read } = await newReport();
    const openOn = (opens: string, closes: string) => ({
      businessHours: Object.fromEntries(DAYS.map((day) => [day, [{ opens, closes }]])),
    });
    await change('PATCH', '/api/team', openOn('08:00', '18:00'));
    await run();
    const { revision, figures } = await read();
    assert.deepEqual(figures.missedByHours, { inside: 1, outside: 0 });
    await change('PATCH', '/api/team', openOn('01:00', '02:00'));
    await run();
    const later = await read();
    assert.deepEqual([later.revision, later.figures.missedByHours], [revision, figures.missedByHours]);
  });

  test('is not caused by a caller who is reached after the report was made: they were waiting then', async () => {
    const { line, run, read } = await newReport();
    stage.clock.advance(86_400_000);
    await run();
    const { revision, figures } = await read();
    assert.equal(figures.unreturned.total, 1);
    stage.clock.advance(60_000);
    const back = { From: OUR_NUMBER, To: CALLER, Direction: 'outbound-api', CallDuration: '9' };
    await line.status(newCallSid(), 'completed', back);
    await stage.app.telephony.settle();
    await run();
    const later = await read();
    assert.deepEqual([later.revision, later.figures.unreturned.total], [revision, 1]);
  });

  test('does not forget the name of a number removed after the week', async () => {
    const { change, run, read, number } = await newReport();
    await run();
    const { revision, figures } = await read();
    await change('DELETE', `/api/telephony/numbers/${number.id}`);
    await run();
    const later = await read();
    assert.deepEqual([later.revision, later.figures.numbers], [revision, figures.numbers]);
  });
});
