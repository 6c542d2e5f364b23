// Attack: the clock is a year ahead for a few seconds. Everything seems to be old, and whatever is pruned doesn't come back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJobs } from '../../src/jobs/index.ts';
import { handlePruneAudit, pruneAudit } from '../../src/teams/audit/prune-audit.job.ts';
import { handlePruneCredentials, pruneCredentials } from '../../src/teams/tokens/prune-credentials.job.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

onOneEngine('a clock that is a year ahead for a few seconds', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));

  test('ends nobody’s access, and empties no audit log', async () => {
    const { app, config, server } = house;
    const finished: string[] = [];
    const jobs = createJobs({ ...app, ...config, pollMs: 20, onFinished: (name) => void finished.push(name) });
    const everyMs = HOUR_MS;
    jobs.prune(pruneCredentials, { everyMs }, handlePruneCredentials(app));
    jobs.prune(pruneAudit, { everyMs }, handlePruneAudit({ ...app, ...config }));
    const ranTimes = (times: number) =>
      waitUntil(`both ran ${times} times`, () =>
        [pruneCredentials, pruneAudit].every(({ name }) => finished.filter((done) => done === name).length >= times),
      );
    const { admin } = await house.createTeam('on-time');
    const ask = async (url: string) => server.inject({ url, headers: admin.headers });
    const countEntries = async () => (await ask('/api/audit')).json().events.length;
    assert.ok((await countEntries()) > 0);
    jobs.start();
    try {
      await ranTimes(1);
      clock.advance(YEAR_MS);
      await ranTimes(2);
      assert.equal((await ask('/api/team')).statusCode, 401);
      clock.advance(-YEAR_MS);
      assert.equal((await ask('/api/team')).statusCode, 200);
      assert.ok((await countEntries()) > 0);
    } finally {
      await jobs.stop({ drainMs: 0 });
    }
  });
});
