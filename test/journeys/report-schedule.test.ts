import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { handleMakeReport } from '../../src/reports/runs/make-report.job.ts';
import { DAYS, type ReportSchedule } from '../../src/teams/index.ts';
import { createTestApp, createTestClock, type TestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FRIDAY_AT_17 = { day: 'friday', hour: 17 } as const;

onEachEngine('the day and hour of the weekly report', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let team: Awaited<ReturnType<TestApp['createTeam']>>;
  /** A Monday at midnight, and the week that has just ended. */
  let monday: number;
  let made = 0;

  const goTo = (instant: number): void => stage.clock.advance(instant - stage.clock.now());
  const runAs = ({ reports }: Pick<TestApp['app'], 'reports'>) =>
    reports.runReports({ team: team.team.id, askedBy: 'service' });
  const run = () => runAs(stage.app);
  const change = async (payload: object) => {
    const answer = await stage.server.inject({
      method: 'PATCH',
      url: '/api/team',
      headers: team.admin.headers,
      payload,
    });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().team;
  };
  const weeks = async (): Promise<string[]> => {
    const rows = await stage.app.database.all<{ week: string }>(
      'select week from reports where team_id = $1 order by week, revision',
      [team.team.id],
    );
    return rows.map(({ week }) => week);
  };
  const nextWeek = (): void => {
    monday += 7 * DAY_MS;
  };

  beforeEach(async () => {
    // Each test begins on the Sunday before a Monday, with a team that was created that day.
    const begun = Date.parse('2026-11-15T12:00:00Z') + made++ * 70 * DAY_MS;
    goTo(begun);
    monday = begun + 12 * HOUR_MS;
    team = await stage.createTeam(`scheduled-${made}`);
  });

  test('is Monday at 8:00, and an admin changes it; what makes no sense is refused', async () => {
    const { headers } = team.admin;
    const get = async () => (await stage.server.inject({ url: '/api/team', headers })).json().team;
    assert.deepEqual((await get()).reportSchedule, { day: 'monday', hour: 8 });
    assert.deepEqual((await change({ reportSchedule: FRIDAY_AT_17 })).reportSchedule, FRIDAY_AT_17);
    assert.deepEqual((await get()).reportSchedule, FRIDAY_AT_17);
    const ask = (who: { headers: { authorization: string } }, reportSchedule: unknown) =>
      stage.server.inject({ method: 'PATCH', url: '/api/team', headers: who.headers, payload: { reportSchedule } });
    assert.equal((await ask(team.member, { day: 'monday', hour: 9 })).statusCode, 403);
    for (const wrong of [
      { day: 'Friday', hour: 17 },
      { day: 'friday', hour: 24 },
      { day: 'friday', hour: -1 },
      { day: 'friday', hour: 8.5 },
      { day: 'friday' },
      { hour: 8 },
      { ...FRIDAY_AT_17, minute: 30 },
      null,
    ]) {
      const { statusCode, body } = await ask(team.admin, wrong);
      assert.equal(statusCode, 400, JSON.stringify(wrong));
      assert.match(body, /body\.reportSchedule/);
    }
    const { events } = (await stage.server.inject({ url: '/api/audit', headers })).json();
    const changes = events.filter(({ action }: { action: string }) => action === 'team.change');
    assert.deepEqual(
      changes.map(({ detail }: { detail: object }) => detail),
      [{ fields: ['reportSchedule'] }],
    );
  });

  test('is when the service makes the report, once from several processes', async () => {
    await change({ reportSchedule: FRIDAY_AT_17 });
    const other = await stage.openOther();
    const runBoth = () => Promise.all([runAs(stage.app), runAs(other.app), runAs(stage.app), runAs(other.app)]);
    try {
      goTo(monday + 8 * HOUR_MS);
      await runBoth();
      goTo(monday + 4 * DAY_MS + 17 * HOUR_MS - 1);
      await runBoth();
      assert.deepEqual(await weeks(), []);
      stage.clock.advance(1);
      await runBoth();
      assert.equal((await weeks()).length, 1);
    } finally {
      await other.close();
    }
  });

  test('put off right before the report is due makes it later, and only once', async () => {
    goTo(monday + 8 * HOUR_MS - 1);
    await run();
    await change({ reportSchedule: FRIDAY_AT_17 });
    stage.clock.advance(1);
    await run();
    assert.deepEqual(await weeks(), []);
    goTo(monday + 4 * DAY_MS + 17 * HOUR_MS);
    await run();
    await run();
    assert.equal((await weeks()).length, 1);
  });

  test('put off right after the report was made makes no second one, and skips no week', async () => {
    goTo(monday + 8 * HOUR_MS);
    await run();
    const [first] = await weeks();
    await change({ reportSchedule: FRIDAY_AT_17 });
    goTo(monday + 4 * DAY_MS + 17 * HOUR_MS);
    await run();
    assert.deepEqual(await weeks(), [first]);
    nextWeek();
    goTo(monday + 8 * HOUR_MS);
    await run();
    assert.deepEqual(await weeks(), [first]);
    goTo(monday + 4 * DAY_MS + 17 * HOUR_MS);
    await run();
    assert.equal((await weeks()).length, 2);
  });

  test('moved to a time that is over makes the report at the next run', async () => {
    await change({ reportSchedule: { day: 'sunday', hour: 23 } });
    goTo(monday + 2 * DAY_MS);
    await run();
    assert.deepEqual(await weeks(), []);
    await change({ reportSchedule: { day: 'tuesday', hour: 23 } });
    await run();
    assert.equal((await weeks()).length, 1);
    await change({ reportSchedule: { day: 'sunday', hour: 23 } });
    goTo(monday + 6 * DAY_MS + 23 * HOUR_MS);
    await run();
    assert.equal((await weeks()).length, 1);
  });

  test('holds for a report that waits in line, unless somebody asked for it', async () => {
    goTo(monday + 8 * HOUR_MS);
    await change({ reportSchedule: FRIDAY_AT_17 });
    const { reports } = await stage.app.reports.runReports({ team: team.team.id, dryRun: true, askedBy: 'person' });
    const wanted = { teamId: team.team.id, week: reports[0]?.week ?? assert.fail('There is no week.') };
    const context = { ...stage.app, mailer: null, production: false };
    await handleMakeReport(context, { ...wanted, onlyDue: true });
    assert.deepEqual(await weeks(), []);
    await handleMakeReport(context, wanted);
    assert.deepEqual(await weeks(), [wanted.week]);
  });

  test('changed while several processes make the report leaves one report', async () => {
    const other = await stage.openOther();
    try {
      goTo(monday + 8 * HOUR_MS);
      await Promise.all([
        runAs(stage.app),
        change({ reportSchedule: FRIDAY_AT_17 }),
        runAs(other.app),
        change({ timeZone: 'Asia/Tokyo' }),
        runAs(stage.app),
      ]);
      assert.ok((await weeks()).length <= 1);
      goTo(monday + 4 * DAY_MS + 17 * HOUR_MS);
      await Promise.all([runAs(stage.app), runAs(other.app)]);
      assert.equal((await weeks()).length, 1);
    } finally {
      await other.close();
    }
  });

  test('however often it changes, together with the time zone, makes each week once', async () => {
    const zones = ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles', 'Europe/Berlin', 'Pacific/Pago_Pago'];
    // The same each time: whatever fails can be looked at.
    let seed = 7;
    const pick = <Item>(items: readonly Item[]): Item => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return items[seed % items.length] ?? assert.fail();
    };
    const hours = Array.from({ length: 24 }, (_, hour) => hour);
    for (let steps = 0; steps < 5 * 7 * 3; steps++) {
      const reportSchedule: ReportSchedule = { day: pick(DAYS), hour: pick(hours) };
      await change({ reportSchedule, timeZone: pick(zones) });
      stage.clock.advance(8 * HOUR_MS);
      await run();
    }
    await change({ reportSchedule: { day: 'monday', hour: 0 }, timeZone: 'UTC' });
    await run();
    const found = await weeks();
    assert.equal(new Set(found).size, found.length, `${found}`);
    const { reports } = await stage.app.reports.runReports({ team: team.team.id, dryRun: true, askedBy: 'person' });
    assert.deepEqual(
      reports.filter(({ state }) => state === 'created'),
      [],
      'No week is missing.',
    );
    assert.ok(found.length >= 5);
    const early = await stage.app.database.all('select week from reports where team_id = $1 and created_at < ends_at', [
      team.team.id,
    ]);
    assert.deepEqual(early, [], 'No report was made before its week was over.');
  });

  test('is by the clock on the wall when the clocks change', async () => {
    const spring = createTestClock(Date.parse('2027-03-20T12:00:00Z'));
    const berlin = await createTestApp(engine, { clock: spring });
    try {
      const { team: own, admin } = await berlin.createTeam('berlin');
      const payload = { timeZone: 'Europe/Berlin', reportSchedule: { day: 'sunday', hour: 2 } };
      await berlin.server.inject({ method: 'PATCH', url: '/api/team', headers: admin.headers, payload });
      const countAt = async (instant: string): Promise<number> => {
        spring.advance(Date.parse(instant) - spring.now());
        await berlin.app.reports.runReports({ askedBy: 'service' });
        return (await berlin.app.database.all('select id from reports where team_id = $1', [own.id])).length;
      };
      assert.equal(await countAt('2027-03-28T00:59:59Z'), 0, 'There is no 2:00 that night.');
      assert.equal(await countAt('2027-03-28T01:00:00Z'), 1, 'After 1:59 comes 3:00.');
      assert.equal(await countAt('2027-04-03T23:59:59Z'), 1);
      assert.equal(await countAt('2027-04-04T00:00:00Z'), 2, 'In summer, 2:00 is an hour earlier.');
    } finally {
      await berlin.close();
    }
  });
});
