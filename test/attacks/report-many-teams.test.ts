import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TEAMS = 120;
const AT_ONCE = 20;
const WEEK = '2026-W45';
const WEEK_MS = 7 * 86_400_000;

onOneEngine('a run over more teams than it can wait for', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));

  before(async () => {
    const { app } = stage;
    await app.database.transaction(async (tx) => {
      for (let made = 0; made < TEAMS; made++) await createTeam(app, tx, `team ${made}`);
    });
    await app.database.run('update teams set created_at = created_at - $1 where name like $2', [WEEK_MS, 'team %']);
  });

  const countReports = async (): Promise<number> =>
    (await stage.app.database.all('select id from reports where week = $1', [WEEK])).length;
  /** However slow the machine is, it waits for the first ones. */
  const run = (wish: { dryRun?: boolean } = {}) =>
    stage.app.reports.runReports({ askedBy: 'cron', patienceMs: 60_000, ...wish });

  test('counts all of them in a dry run', async () => {
    const { created, existing, queued, remaining, reports } = await run({ dryRun: true });
    assert.deepEqual([created, existing, queued, remaining, reports.length], [TEAMS, 0, 0, 0, 100]);
    assert.equal(await countReports(), 0);
  });

  test('makes a few, queues the others with a single job, and says so', async () => {
    const before = (await stage.app.jobs.count()).queued;
    const { created, queued, remaining, reports } = await run();
    assert.deepEqual([created, queued, remaining], [AT_ONCE, TEAMS - AT_ONCE, 0]);
    assert.deepEqual(
      [reports[AT_ONCE - 1]?.state, reports[AT_ONCE]?.state, reports[AT_ONCE]?.reportId],
      ['created', 'queued', null],
    );
    assert.equal((await stage.app.jobs.count()).queued, before + 1);
    const again = await run();
    assert.deepEqual([again.created, again.existing, again.queued], [0, AT_ONCE, TEAMS - AT_ONCE]);
    assert.equal(await countReports(), AT_ONCE);
  });

  test('says how many teams it has not come to, and comes to them later', async () => {
    const noTime = await stage.app.reports.runReports({ askedBy: 'cron', week: WEEK, patienceMs: -60_000 });
    assert.deepEqual([noTime.queued, noTime.existing, noTime.reports], [0, 0, []]);
    assert.ok(noTime.remaining >= TEAMS, String(noTime.remaining));
    stage.app.jobs.start();
    await waitUntil('every team has its report', async () => (await countReports()) > TEAMS, 30_000);
    await stage.app.jobs.stop({ drainMs: 5_000 });
    const { created, existing, queued, failed } = await run();
    assert.deepEqual([created, existing, queued, failed], [0, TEAMS, 0, 0]);
  });
});
