import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runReports } from '../../src/reports/runs/run-reports.ts';
import { lastFinishedWeek, shiftWeek } from '../../src/reports/week/week.ts';
import { SECRETS } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { expectProblem, toAnswer } from '../harness/problem.ts';
import {
  COLLEAGUE,
  newCallSid,
  OUR_NUMBER,
  openTelephonyStage,
  type TelephonyStage,
} from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const CRON = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
const WEEK = '2026-W46';
const DAY_MS = 86_400_000;

type Team = Awaited<ReturnType<TelephonyStage['newTeam']>>;

onEachEngine('the weekly report', (engine) => {
  // Sunday, at noon.
  const stage = useStage(() => openTelephonyStage(engine, { answer: { forwardTo: [COLLEAGUE] } }));

  const run = (query = '', headers: Record<string, string> = CRON) =>
    stage.server.inject({ url: `/api/cron/weekly-report${query}`, headers });
  const report = async ({ get }: Team, week = WEEK) => (await get(`/api/reports/${week}`)).json();
  const countReports = async (teamId: string) =>
    (await stage.app.database.all('select id from reports where team_id = $1', [teamId])).length;

  const take = async ({ line }: Team, seconds: number) => {
    const sid = newCallSid();
    await line.rings(sid);
    stage.clock.advance(4_000 + seconds * 1_000);
    await line.dialed(sid, 'completed', { DialCallDuration: `${seconds}`, DialBridged: 'true' });
    await line.status(sid, 'completed', { CallDuration: `${seconds + 4}` });
  };
  const miss = async ({ line }: Team, from = '+15551230002') => {
    const sid = newCallSid();
    stage.clock.advance(1_000);
    await line.rings(sid, { From: from });
    await line.dialed(sid, 'no-answer', { From: from });
    await line.status(sid, 'completed', { From: from });
    return sid;
  };

  let team: Team;

  test('is made once the team’s week is over, with the figures of its calls', async () => {
    team = await stage.newTeam();
    await take(team, 10);
    await take(team, 20);
    await miss(team);
    await miss(team);
    await miss(team, '+15551230003');
    await stage.app.telephony.settle();
    expectProblem(toAnswer(await run(`?week=${WEEK}&team=${team.team.id}`)), 400, 'a week that is not over');
    stage.clock.advance(DAY_MS);

    const dry = (await run(`?team=${team.team.id}&dryRun=1`)).json();
    assert.deepEqual(dry.reports, [
      { team: team.team.id, week: WEEK, state: 'created', reportId: null, deliveries: 0, predatesTeam: false },
    ]);
    assert.equal(await countReports(team.team.id), 0, 'A dry run makes nothing.');

    const { created, reports, runId, tookMs } = (await run(`?team=${team.team.id}`)).json();
    assert.equal(created, 1);
    assert.equal(typeof runId, 'string');
    assert.ok(tookMs >= 0);
    assert.equal(reports[0].state, 'created');
    const { figures, revision, week, evidence } = await report(team);
    assert.equal(week, WEEK);
    assert.equal(revision, 1);
    assert.deepEqual(figures.calls, { inbound: { value: 5, before: null }, outbound: { value: 0, before: null } });
    assert.equal(figures.outcomes.answered.value, 2);
    assert.equal(figures.outcomes.missed.value, 3);
    assert.equal(figures.missedPercent, 60);
    assert.deepEqual(figures.secondsToAnswer, { median: 4, p90: 4 });
    assert.equal(figures.talkSeconds.value, 30);
    assert.deepEqual(figures.callers, { firstTime: 3, repeat: 2, total: 3 });
    assert.equal(figures.unreturned.total, 3);
    assert.deepEqual(
      figures.unreturned.oldest.map(({ from }: { from: string }) => from),
      ['+15551230002', '+15551230002', '+15551230003'],
    );
    assert.deepEqual(figures.numbers, [{ number: OUR_NUMBER, label: null, calls: 5, answered: 2, missed: 3 }]);
    assert.equal(figures.heat[6][12], 5, 'Sunday, from twelve to one.');
    assert.equal(
      figures.heat.flat().reduce((sum: number, calls: number) => sum + calls, 0),
      5,
    );
    const behind = (await team.get(evidence.missed)).json();
    assert.equal(behind.calls.length, 3, 'The rows behind a figure are as many as it says.');
  });

  test('exists once, however often and by however many it is requested', async () => {
    const other = await stage.openOther();
    const fresh = await stage.newTeam({ ageDays: 7 });
    try {
      const asked = await Promise.all(
        Array.from({ length: 5 }, () => [
          run(`?team=${fresh.team.id}`),
          other.server.inject({ url: `/api/cron/weekly-report?team=${fresh.team.id}`, headers: CRON }),
        ]).flat(),
      );
      const states = asked.map((answer) => answer.json().reports[0].state);
      assert.equal(states.filter((state) => state === 'created').length, 1);
      assert.equal(states.filter((state) => state === 'existing').length, 9);
      assert.equal(await countReports(fresh.team.id), 1);
    } finally {
      await other.close();
    }
  });

  test('has a new revision if data came late, and stays unchanged otherwise', async () => {
    const before = await report(team);
    assert.equal((await run(`?team=${team.team.id}`)).json().reports[0].state, 'existing');
    assert.deepEqual(await report(team), before);
    const sid = newCallSid();
    await team.line.status(sid, 'completed', { Timestamp: 'Sat, 14 Nov 2026 08:00:00 +0000', CallDuration: '3' });
    await stage.app.telephony.settle();
    const { reports, created } = (await run(`?team=${team.team.id}`)).json();
    assert.equal(created, 0);
    assert.equal(reports[0].state, 'existing');
    const after = await report(team);
    assert.equal(after.revision, 2);
    assert.equal(after.figures.calls.inbound.value, 6);
    const { reports: listed } = (await team.get('/api/reports')).json();
    assert.deepEqual(
      listed.map(({ week, revision }: { week: string; revision: number }) => [week, revision]),
      [[WEEK, 2]],
    );
  });

  test('catches up on missed weeks, at most eight', async () => {
    const late = await stage.newTeam();
    stage.clock.advance(21 * DAY_MS);
    const { reports } = (await run(`?team=${late.team.id}`)).json();
    assert.deepEqual(
      reports.map(({ week }: { week: string }) => week),
      ['2026-W47', '2026-W48', '2026-W49'],
    );
    stage.clock.advance(100 * DAY_MS);
    const caughtUp = (await run(`?team=${late.team.id}`)).json().reports.length;
    assert.equal(caughtUp, 9, 'The last one, and eight before it.');
  });

  test('is not made of a week that ended before the team was created, unless it is asked for by name', async () => {
    const young = await stage.newTeam();
    const ask = async (query = '') => (await run(`?team=${young.team.id}${query}`)).json();
    const week = lastFinishedWeek(stage.clock.now(), 'UTC');
    const nothing = await ask();
    assert.deepEqual([nothing.created, nothing.existing, nothing.reports], [0, 0, []]);
    assert.match(nothing.message, /^No report is due, because no team's first week is over\./);
    await stage.app.reports.runReports({ askedBy: 'service' });
    assert.equal(await countReports(young.team.id), 0);
    const {
      message,
      reports: [asked],
    } = await ask(`&week=${week}`);
    assert.equal(message, null);
    assert.deepEqual([asked.week, asked.state, asked.deliveries, asked.predatesTeam], [week, 'created', 0, true]);
    assert.equal((await report(young, week)).predatesTeam, true);
    stage.clock.advance(7 * DAY_MS);
    const [first, ...more] = (await ask()).reports;
    assert.deepEqual([first.week, first.predatesTeam, more], [shiftWeek(week, 1), false, []]);
    const { reports: listed } = (await young.get('/api/reports')).json();
    assert.deepEqual(
      listed.map((one: { week: string; predatesTeam: boolean }) => [one.week, one.predatesTeam]),
      [
        [shiftWeek(week, 1), false],
        [week, true],
      ],
    );
  });

  test('belongs to its team only, and only the operator’s secret has it made', async () => {
    for (const headers of [{}, { authorization: 'Bearer undefined' }, { authorization: 'Bearer ' }, team.admin.headers])
      assert.equal((await run('', headers as Record<string, string>)).statusCode, 401);
    const head = await stage.server.inject({ method: 'HEAD', url: '/api/cron/weekly-report', headers: CRON });
    assert.equal(head.statusCode, 405);
    const stranger = await stage.newTeam();
    assert.equal((await stranger.get(`/api/reports/${WEEK}`)).statusCode, 404);
    assert.deepEqual((await stranger.get('/api/reports')).json(), { reports: [], nextCursor: null });
  });

  test('that takes longer than anyone waits is queued first, then there', async () => {
    const slow = await stage.newTeam();
    const { database } = stage.app;
    const counted = Promise.withResolvers<void>();
    let scans = 0;
    const scan: typeof database.scan = async (...what) => {
      scans++;
      await counted.promise;
      return database.scan(...what);
    };
    const context = { ...stage.app, mailer: null, production: false, database: { ...database, scan } };
    const wish = { week: WEEK, team: slow.team.id, askedBy: 'cron', patienceMs: 30 } as const;
    const ask = async (): Promise<void> => {
      const { queued, reports } = await runReports(context, wish);
      assert.deepEqual([queued, reports[0]?.state, reports[0]?.reportId], [1, 'queued', null]);
    };
    // On a busy machine, the patience may end before the counting begins.
    await waitUntil('it is being counted', async () => {
      await ask();
      return scans === 1;
    });
    for (let time = 0; time < 4; time++) await ask();
    assert.equal(scans, 1, 'It is counted once, however often somebody asks meanwhile.');
    assert.equal(await countReports(slow.team.id), 0);
    counted.resolve();
    await waitUntil('it is there', async () => (await countReports(slow.team.id)) === 1);
    assert.equal((await stage.app.reports.runReports({ ...wish, patienceMs: 30_000 })).existing, 1);
  });

  test('for an unknown week or team gets a clear refusal', async () => {
    for (const query of ['?week=2026-W54', '?week=nonsense', '?week=2090-W01', '?team=nobody', '?week=', '?unknown=1'])
      expectProblem(toAnswer(await run(query)), 400, query);
    const fresh = await stage.newTeam();
    expectProblem(toAnswer(await fresh.get('/api/reports/2026-W54')), 400, 'no such week');
    expectProblem(toAnswer(await fresh.get('/api/reports/2020-W01')), 404, 'no report');
  });
});
