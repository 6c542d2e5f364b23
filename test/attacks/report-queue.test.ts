import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { workFor } from '../../src/platform/index.ts';
import { createCountWeekNow } from '../../src/reports/figures/count-week-now.ts';
import { getTeam } from '../../src/teams/index.ts';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openSession, type Session } from '../harness/sessions.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const AT_ONCE = 100;
const SLOW = `with recursive counter (n) as (select 1 union all select n + 1 from counter where n < 30000)
  select count(*) as n from counter`;
const clock = createTestClock();
const WEEK = '2026-W46';
const CLOSED = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
const OPEN_ON_MONDAY = { monday: [{ opens: '08:00', closes: '18:00' }], ...CLOSED };

onOneEngine('a team that keeps requesting its report', (engine) => {
  const stage = useStage(() => createTestApp(engine, { clock, env: { PATCHBAY_RATE_LIMIT: '1000000' } }));
  const greedy = prepare(() => stage.createTeam('greedy'));
  const other = prepare(() => stage.createTeam('other'));
  /** The reads of each team, and how many slow ones ended while the team's last one waited and ran. */
  const reads = new Map<unknown, number>();
  let slowEnded = 0;
  let endedMeanwhile = Number.NaN;
  let failNext = false;

  before(() => {
    const { database } = stage.app;
    const { scan } = database;
    const counted: typeof scan = async (text, values) => {
      const [teamId] = values;
      reads.set(teamId, (reads.get(teamId) ?? 0) + 1);
      if (failNext) {
        failNext = false;
        throw new Error('A read that fails.');
      }
      const ended = slowEnded;
      const rows = await scan<never>(text, values);
      endedMeanwhile = slowEnded - ended;
      return rows;
    };
    Object.assign(database, {
      scan: (text: string, values: []) => (text === SLOW ? scan(text, values) : counted(text, values)),
    });
  });

  const drawFor = async ({ headers }: Session): Promise<number> =>
    (await stage.server.inject({ url: `/reports/${WEEK}/heat.svg`, headers })).statusCode;

  test('makes another team wait for one or two reads, not for all of them', async () => {
    const session = await openSession(stage, other.member.user);
    const scanSlowly = () => stage.app.database.scan(SLOW, []);
    // Starting the second process that reads takes as long as many of these reads.
    await Promise.all([greedy, other].map(({ team }) => workFor(team.id, scanSlowly)));
    const flood = Array.from({ length: AT_ONCE }, () =>
      workFor(greedy.team.id, async () => {
        await scanSlowly();
        slowEnded++;
      }),
    );
    assert.equal(await drawFor(session), 200);
    await Promise.all(flood);
    assert.ok(endedMeanwhile < AT_ONCE / 5, `${endedMeanwhile} of ${AT_ONCE} came first`);
  });

  test('has it counted once, and again a few seconds later', async () => {
    const session = await openSession(stage, greedy.member.user);
    const draw = async (times: number): Promise<number | undefined> => {
      const statuses = await Promise.all(Array.from({ length: times }, () => drawFor(session)));
      assert.deepEqual(new Set(statuses), new Set([200]));
      return reads.get(greedy.team.id);
    };
    assert.equal(await draw(AT_ONCE), 1);
    assert.equal(await draw(1), 1);
    clock.advance(5_000);
    assert.equal(await draw(AT_ONCE), 2);
  });

  test('has it counted as long as someone waits for it, and not at all if nobody does', async () => {
    const { app } = stage;
    const team = (await getTeam(app.database, greedy.team.id)) ?? assert.fail();
    const countWeekNow = createCountWeekNow(app);
    const left = { one: false, other: false };
    const count = (asker: keyof typeof left) =>
      workFor({ owner: team.id, isAbandoned: () => left[asker], stepAside: () => undefined }, () =>
        countWeekNow(team, WEEK, false),
      );

    const shared = [count('one'), count('other')];
    left.one = true;
    const [first, second] = await Promise.all(shared);
    assert.equal(first, second);

    clock.advance(5_000);
    left.one = false;
    const before = [1, 2, 3].map((other) => workFor(`another ${other}`, () => app.database.scan(SLOW, [])));
    const abandoned = [count('one'), count('other')].map((result) =>
      assert.rejects(result, { code: 'http.caller_gone' }),
    );
    Object.assign(left, { one: true, other: true });
    const third = workFor(team.id, () => countWeekNow(team, WEEK, false));
    await Promise.all([...before, ...abandoned]);
    assert.equal((await third).asOf, clock.now());
  });

  test('gets a new count after one that failed, also if nobody has left', async () => {
    const team = (await getTeam(stage.app.database, greedy.team.id)) ?? assert.fail();
    const countWeekNow = createCountWeekNow(stage.app);
    const count = () => workFor(team.id, () => countWeekNow(team, WEEK, false));
    failNext = true;
    await assert.rejects(count(), /A read that fails/);
    assert.equal((await count()).asOf, clock.now());
    const session = await openSession(stage, greedy.member.user);
    clock.advance(5_000);
    failNext = true;
    assert.equal(await drawFor(session), 500);
    assert.equal(await drawFor(session), 200);
  });

  test('gets a new count after one that failed in the background', async () => {
    const { app } = stage;
    const team = (await getTeam(app.database, greedy.team.id)) ?? assert.fail();
    const countWeekNow = createCountWeekNow(app);
    const count = () => workFor(team.id, () => countWeekNow(team, WEEK, false));
    failNext = true;
    await assert.rejects(count(), /A read that fails/);
    assert.equal((await count()).asOf, clock.now());
  });

  test('gets a new count as soon as its business hours change', async () => {
    const { app } = stage;
    const team = (await getTeam(app.database, greedy.team.id)) ?? assert.fail();
    const countWeekNow = createCountWeekNow(app);
    assert.equal((await countWeekNow(team, WEEK, false)).figures.missedByHours, null);
    const { figures } = await countWeekNow({ ...team, businessHours: OPEN_ON_MONDAY }, WEEK, false);
    assert.deepEqual(figures.missedByHours, { inside: 0, outside: 0 });
  });

  test('gets the report from the next run after one that failed', async () => {
    const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
    const run = async () => {
      const url = `/api/cron/weekly-report?team=${greedy.team.id}&week=2026-W45`;
      return (await stage.server.inject({ url, headers })).json().failed;
    };
    failNext = true;
    assert.equal(await run(), 1);
    assert.equal(await run(), 0);
  });
});
