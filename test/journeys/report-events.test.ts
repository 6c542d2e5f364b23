import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { breakTransactions, followEvents } from '../harness/follow-events.ts';
import { newCallSid, openTelephonyStage, SERVICE_URL } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const WEEK = '2026-W45';
const BEFORE_THE_TEAM = '2026-W30';

onEachEngine('a report', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const openTeam = async () => {
    const made = await stage.newTeam({ ageDays: 60 });
    const log = await followEvents(stage.server, made.member.headers);
    return {
      ...made,
      next: async () => (await log.next()).filter(({ type }) => !type.startsWith('call.')),
      /** The report as it is listed, and where to read it. */
      find: async (week: string) => {
        const { reports } = (await made.get('/api/reports')).json();
        const found = reports.find((report: { week: string }) => report.week === week);
        return { ...found, url: `${SERVICE_URL}/api/reports/${week}` };
      },
      run: async (week: string, server = stage.server): Promise<void> => {
        const url = `/api/cron/weekly-report?team=${made.team.id}&week=${week}`;
        await server.inject({ url, headers: { authorization: `Bearer ${SECRETS.CRON_SECRET}` } });
      },
    };
  };

  test('is recorded when it is ready, once, and again when late data makes a new revision', async () => {
    const { next, find, run, line } = await openTeam();
    const other = await stage.openOther();
    await Promise.all([run(WEEK), run(WEEK, other.server), run(WEEK)]);
    await other.close();
    const [ready, ...none] = await next();
    assert.deepEqual([ready?.type, none], ['report.ready', []]);
    assert.deepEqual(ready?.data, await find(WEEK));
    assert.deepEqual([ready?.data['revision'], ready?.data['predatesTeam']], [1, false]);
    assert.ok(!('figures' in (ready?.data ?? {})));
    await run(WEEK);
    assert.deepEqual(await next(), [], 'It is the same.');
    const at = 'Wed, 04 Nov 2026 12:00:00 +0000';
    await line.status(newCallSid(), 'completed', { Timestamp: at, CallDuration: '3' });
    await stage.app.telephony.settle();
    await run(WEEK);
    const [revised, ...others] = await next();
    assert.deepEqual([revised?.type, others], ['report.ready', []]);
    assert.deepEqual(revised?.data, await find(WEEK));
    assert.equal(revised?.data['revision'], 2);
  });

  test('of a week before the team began is recorded too, and says so', async () => {
    const { next, find, run } = await openTeam();
    await run(BEFORE_THE_TEAM);
    const [ready, ...none] = await next();
    assert.deepEqual([ready?.type, ready?.data, none], ['report.ready', await find(BEFORE_THE_TEAM), []]);
    assert.equal(ready?.data['predatesTeam'], true);
  });

  test('leaves no event if storing it is rolled back', async () => {
    const { next, run } = await openTeam();
    const { mend } = breakTransactions(stage.app);
    try {
      await run(WEEK);
    } finally {
      mend();
    }
    assert.deepEqual(await next(), []);
    await run(WEEK);
    assert.deepEqual(
      (await next()).map(({ type }) => type),
      ['report.ready'],
    );
  });
});
