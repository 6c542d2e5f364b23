import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsubscribeUrlOf } from '../../src/reports/ledger/unsubscribe.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { useStage } from '../harness/use-stage.ts';

const DAY_MS = 24 * 3_600_000;
const TURNS = 100;

onOneEngine('someone with an unsubscribe link', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock, env: { PATCHBAY_RATE_LIMIT: '1000000' } }));

  const newLink = async (teamId: string, recipientHash: string): Promise<string> =>
    new URL(await unsubscribeUrlOf(house.app.vault, house.config.url, { teamId, recipientHash })).pathname;
  const post = async (url: string): Promise<void> => {
    clock.advance(1);
    assert.equal((await house.server.inject({ method: 'POST', url })).statusCode, 200);
  };
  const turn = async (link: string, times: number): Promise<void> => {
    for (let index = 0; index < times; index++) {
      await post(link);
      await post(`${link}/undo`);
    }
  };
  const countAudit = async (headers: Record<string, string>): Promise<Record<string, number>> => {
    const { events } = (await house.server.inject({ url: '/api/audit?limit=100', headers })).json();
    const counts: Record<string, number> = {};
    for (const { action } of events.filter((event: { action: string }) => event.action.startsWith('report.')))
      counts[action] = (counts[action] ?? 0) + 1;
    return counts;
  };

  test('writes one audit entry of each kind per day, however often they change their mind', async () => {
    const { team, admin } = await house.createTeam('acme');
    const link = await newLink(team.id, 'recipient-1');
    await turn(link, TURNS);
    assert.deepEqual(await countAudit(admin.headers), { 'report.unsubscribe': 1, 'report.subscribe': 1 });
    clock.advance(DAY_MS);
    await turn(link, 2);
    assert.deepEqual(await countAudit(admin.headers), { 'report.unsubscribe': 2, 'report.subscribe': 2 });
  });

  test('does not hide what another recipient or team does on the same day', async () => {
    const [one, other] = [await house.createTeam('one'), await house.createTeam('other')];
    await post(await newLink(one.team.id, 'recipient-1'));
    await post(await newLink(one.team.id, 'recipient-2'));
    await post(await newLink(other.team.id, 'recipient-1'));
    assert.deepEqual(await countAudit(one.admin.headers), { 'report.unsubscribe': 2 });
    assert.deepEqual(await countAudit(other.admin.headers), { 'report.unsubscribe': 1 });
  });

  test('is unsubscribed by the last click, and the newest entry says so', async () => {
    const { team, admin } = await house.createTeam('last');
    const link = await newLink(team.id, 'recipient-1');
    await turn(link, 2);
    await post(link);
    const rows = await house.app.database.all('select at from report_unsubscribes where team_id = $1', [team.id]);
    assert.equal(rows.length, 1);
    const { events } = (await house.server.inject({ url: '/api/audit?limit=1', headers: admin.headers })).json();
    assert.equal(events[0].action, 'report.unsubscribe');
    assert.deepEqual(events[0].detail, { times: 3 });
    await post(`${link}/undo`);
    const after = (await house.server.inject({ url: '/api/audit?limit=1', headers: admin.headers })).json();
    assert.equal(after.events[0].action, 'report.subscribe');
  });
});
