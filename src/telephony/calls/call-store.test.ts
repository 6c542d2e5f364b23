import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { createRecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Queries, Value } from '../../platform/index.ts';
import { insertCalls } from '../processing/call-batch-store.ts';
import { beginCall } from '../processing/put-calls.ts';
import { type CallFilter, type CallRow, listCalls, listCallsWith } from './call-store.ts';

/** More than are looked at by the first few statements. */
const CALLS = 1_500;
const RARE = [3, 249, 250, 251, 749, 750, 1_100, CALLS - 1];

onEachEngine('the list of calls', (engine) => {
  const stage = useStage(() => createRecordingsStage(engine));
  let calls: CallRow[];

  before(async () => {
    const { newId, team } = stage;
    const accountId = await stage.addAccount({});
    calls = Array.from({ length: CALLS }, (_, index) => ({
      ...beginCall(newId(), {
        teamId: team.id,
        accountId,
        provider: 'stand-in',
        externalId: `CA${index}`,
        // Some at the same moment.
        receivedAt: 1_000_000 - Math.floor(index / 3),
      }),
      outcome: RARE.includes(index) ? ('busy' as const) : ('answered' as const),
      fromHash: index % 2 === 0 ? 'even' : 'odd',
      toHash: index % 5 === 0 ? 'even' : 'five',
    }));
    await insertCalls(stage.database, calls, 1);
    calls.sort((left, right) => right.startedAt - left.startedAt || (left.id < right.id ? 1 : -1));
  });

  const idsOf = async (filter: CallFilter, limit: number): Promise<string[]> =>
    (await listCalls(stage.database, stage.team.id, filter, limit)).map(({ id }) => id);
  const expected = (wanted: (call: CallRow) => boolean, limit: number): string[] =>
    calls
      .filter(wanted)
      .slice(0, limit)
      .map(({ id }) => id);

  test('finds the few that match among many', async () => {
    const isBusy = ({ outcome }: CallRow) => outcome === 'busy';
    assert.deepEqual(await idsOf({ outcome: 'busy' }, 100), expected(isBusy, 100));
    assert.deepEqual(await idsOf({ outcome: 'busy' }, 3), expected(isBusy, 3));
    assert.deepEqual(await idsOf({ outcome: 'failed' }, 100), []);
  });

  test('continues where the last page ended', async () => {
    const first = await listCalls(stage.database, stage.team.id, { outcome: 'busy' }, 3);
    const after = first.at(-1);
    assert.ok(after);
    const rest = await idsOf({ outcome: 'busy', after }, 100);
    assert.deepEqual(
      [...first.map(({ id }) => id), ...rest],
      expected(({ outcome }) => outcome === 'busy', 100),
    );
  });

  test('combines filters', async () => {
    const filter = { fromHash: 'even', toHash: 'five', outcome: 'busy' } as const;
    const isWanted = (call: CallRow) => call.fromHash === 'even' && call.toHash === 'five' && call.outcome === 'busy';
    assert.deepEqual(await idsOf(filter, 100), expected(isWanted, 100));
    const since = calls[1_200]?.startedAt ?? 0;
    assert.deepEqual(
      await idsOf({ ...filter, since }, 100),
      expected((call) => isWanted(call) && call.startedAt >= since, 100),
    );
    const until = calls[600]?.startedAt ?? 0;
    assert.deepEqual(
      await idsOf({ outcome: 'busy', until, ...(calls[10] && { after: calls[10] }) }, 100),
      expected((call) => call.outcome === 'busy' && call.startedAt < until, 100),
    );
  });

  if (engine === 'sqlite')
    test('reads one window per statement, whatever else limits the time', async () => {
      const asked: { text: string; values: readonly Value[] }[] = [];
      const watched: Queries = {
        ...stage.database,
        all: (text, values = []) => {
          asked.push({ text, values });
          return stage.database.all(text, values);
        },
      };
      await listCalls(watched, stage.team.id, { outcome: 'failed', since: 1, until: 2_000_000 }, 100);
      assert.ok(asked.length > 2);
      for (const { text, values } of asked.slice(1, -1)) {
        const plan = await stage.database.all<{ detail: string }>(`explain query plan ${text}`, values);
        assert.match(
          plan[0]?.detail ?? '',
          /team_id=\? AND \(started_at,id\)>\(\?,\?\) AND \(started_at,id\)<\(\?,\?\)/,
        );
      }
    });

  test('for a number has each call once, whichever end it was on', async () => {
    const found = await listCallsWith(stage.database, stage.team.id, 'even', CALLS);
    const ids = found.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.sort(), expected((call) => call.fromHash === 'even' || call.toHash === 'even', CALLS).sort());
  });
});
