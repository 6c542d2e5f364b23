// Attack: one team has a time zone that this Node doesn't know. No other team may miss its report for that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

onOneEngine('a team with an unknown time zone', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  test('is counted as failed, and the others get their reports', async () => {
    const good = await stage.newTeam({ ageDays: 30 });
    const bad = await stage.newTeam({ ageDays: 30 });
    await stage.app.database.run("update teams set time_zone = 'SystemV/XYZ9' where id = $1", [bad.team.id]);
    const headers = { authorization: `Bearer ${SECRETS.CRON_SECRET}` };
    const run = await stage.server.inject({ url: '/api/cron/weekly-report', headers });
    assert.equal(run.json().failed, 1);
    const { reports } = (await good.get('/api/reports')).json();
    assert.ok(reports.length > 0);
  });
});
