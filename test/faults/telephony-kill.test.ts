import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Database, Engine } from '../../src/platform/index.ts';
import { listDeliveryIds } from '../harness/list-delivery-ids.ts';
import { killAgainAndAgain, type Provider } from '../harness/telephony-kills.ts';

/** `KILLS=200` for the long run. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const KILLS_OF_TWO = Math.max(2, Math.round(KILLS / 4));
const TIMEOUT_MS = 60_000 + KILLS * 5_000;

/** Everything that was acknowledged, against everything that is there. */
const check = async (
  context: TestContext,
  database: Database,
  { account, stories, acknowledged, refusals }: Provider,
) => {
  assert.deepEqual(refusals, [], 'A process that is there refuses nothing.');
  const rows = await database.all<{ id: string; state: string; n: number }>(
    'select id, min(state) as state, count(*) as n from deliveries group by id',
  );
  const times = new Map(rows.map(({ id, n }) => [id, Number(n)]));
  const ids = await listDeliveryIds(database, account, [...acknowledged]);
  const found = ids.filter((id) => times.has(id)).length;
  const lost = acknowledged.size - found;

  const calls = await database.all<{
    externalId: string;
    status: string;
    outcome: string;
    talkSeconds: number | null;
    n: number;
  }>(
    `select external_id as "externalId", min(status) as status, min(outcome) as outcome,
      min(talk_seconds) as "talkSeconds", count(*) as n from calls group by external_id`,
  );
  const recordings = await database.all<{ callKey: string; n: number; ids: number }>(
    `select call_key as "callKey", count(*) as n, count(distinct external_id) as ids from recordings group by call_key`,
  );
  const events = await database.all<{ callId: string; n: number; keys: number }>(
    'select call_id as "callId", count(*) as n, count(distinct event_key) as keys from call_events group by call_id',
  );
  const double =
    rows.filter(({ n }) => Number(n) > 1).length +
    calls.filter(({ n }) => Number(n) > 1).length +
    recordings.filter(({ n, ids }) => Number(n) !== Number(ids)).length +
    events.filter(({ n, keys }) => Number(n) !== Number(keys)).length;
  context.diagnostic(`acknowledged ${acknowledged.size}, found ${found}, lost ${lost}, double ${double}`);
  assert.equal(lost, 0);
  assert.equal(double, 0);
  assert.deepEqual(
    rows.filter(({ state }) => state !== 'processed'),
    [],
  );

  const madeOf = new Map(calls.map((call) => [call.externalId, call]));
  const recordingsOf = new Map(recordings.map(({ callKey, n }) => [callKey, Number(n)]));
  const wrong = stories.filter(({ sid, ending }) => {
    const call = madeOf.get(sid);
    return (
      call?.status !== 'ended' ||
      call.outcome !== ending.outcome ||
      (call.talkSeconds ?? null) !== ending.talkSeconds ||
      (recordingsOf.get(sid) ?? 0) !== ending.recordings
    );
  });
  assert.deepEqual(
    wrong.map(({ sid, ending }) => ({ ending, is: madeOf.get(sid), recordings: recordingsOf.get(sid) })),
    [],
    'Each call is right.',
  );
  assert.equal(calls.length, stories.length, 'There is no call that nobody made.');
  context.diagnostic(`${stories.length} calls, all of them right`);
};

describe('a process killed while deliveries arrive', { concurrency: 2 }, () => {
  const run = async (context: TestContext, engine: Engine, kills: number): Promise<void> => {
    const { provider, database } = await killAgainAndAgain(context, engine, { kills });
    await check(context, database, provider);
  };

  test('has lost none that it acknowledged and has none twice (sqlite)', { timeout: TIMEOUT_MS }, (context) =>
    run(context, 'sqlite', KILLS),
  );

  test(
    'has company in a second process on the same database, with the same result (postgresql)',
    {
      timeout: TIMEOUT_MS,
    },
    (context) => run(context, 'postgresql', KILLS_OF_TWO),
  );
});
