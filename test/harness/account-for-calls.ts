import type { Database } from '../../src/platform/index.ts';
import type { Provider } from './kill-again-and-again.ts';
import { listDeliveryIds } from './list-delivery-ids.ts';
import type { Story } from './telephony-stories.ts';

type CallRow = { externalId: string; status: string; outcome: string; talkSeconds: number | null; n: number };
type CountedRow = { n: number; ids: number };

const isDouble = ({ n, ids }: CountedRow): boolean => Number(n) !== Number(ids);

/** Everything that was acknowledged, against everything that is there. */
export const accountForCalls = async (
  database: Database,
  { account, stories, acknowledged }: Pick<Provider, 'account' | 'stories' | 'acknowledged'>,
) => {
  const rows = await database.all<{ id: string; state: string; n: number }>(
    'select id, min(state) as state, count(*) as n from deliveries group by id',
  );
  const there = new Set(rows.map(({ id }) => id));
  const ids = await listDeliveryIds(database, account, [...acknowledged]);
  const found = ids.filter((id) => there.has(id)).length;
  const calls = await database.all<CallRow>(
    `select external_id as "externalId", min(status) as status, min(outcome) as outcome,
      min(talk_seconds) as "talkSeconds", count(*) as n from calls group by external_id`,
  );
  const recordings = await database.all<CountedRow & { callKey: string }>(
    `select call_key as "callKey", count(*) as n, count(distinct external_id) as ids from recordings group by call_key`,
  );
  const events = await database.all<CountedRow>(
    'select call_id as "callId", count(*) as n, count(distinct event_key) as ids from call_events group by call_id',
  );
  const madeOf = new Map(calls.map((call) => [call.externalId, call]));
  const recordingsOf = new Map(recordings.map(({ callKey, n }) => [callKey, Number(n)]));
  const isRight = ({ sid, ending }: Story): boolean => {
    const call = madeOf.get(sid);
    return (
      call?.status === 'ended' &&
      call.outcome === ending.outcome &&
      (call.talkSeconds ?? null) === ending.talkSeconds &&
      (recordingsOf.get(sid) ?? 0) === ending.recordings
    );
  };
  return {
    acknowledged: acknowledged.size,
    found,
    lost: acknowledged.size - found,
    duplicated:
      rows.filter(({ n }) => Number(n) > 1).length +
      calls.filter(({ n }) => Number(n) > 1).length +
      recordings.filter(isDouble).length +
      events.filter(isDouble).length,
    unprocessed: rows.filter(({ state }) => state !== 'processed').length,
    calls: calls.length,
    wrong: stories
      .filter((story) => !isRight(story))
      .map(({ sid, ending }) => ({ ending, is: madeOf.get(sid), recordings: recordingsOf.get(sid) })),
  };
};
