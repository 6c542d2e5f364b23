import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { createRecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Queries, Value } from '../../platform/index.ts';
import { insertCalls } from '../processing/call-batch-store.ts';
import { beginCall } from '../processing/put-calls.ts';
import type { CallFilter } from './call-filter.ts';
import { listCalls } from './call-list-store.ts';
import { type CallRow, listCallsWith } from './call-store.ts';
import { toCaller } from './waiting-caller.ts';
import { refreshWaiting } from './waiting-caller-store.ts';
import { startCallerSearch } from './waiting-search-store.ts';

/** More calls than the first few statements check. */
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
        // Every three calls start at the same moment.
        receivedAt: 1_000_000 - Math.floor(index / 3),
      }),
      direction: RARE.includes(index) && index > 1_000 ? ('outbound' as const) : ('inbound' as const),
      outcome: index === CALLS - 1 ? null : RARE.includes(index) ? ('busy' as const) : ('answered' as const),
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

  test('finds calls of one direction, also those that have not ended', async () => {
    const isOutbound = ({ direction }: CallRow) => direction === 'outbound';
    assert.deepEqual(await idsOf({ direction: 'outbound' }, 100), expected(isOutbound, 100));
    assert.equal(expected(isOutbound, 100).length, 2);
    assert.deepEqual(
      await idsOf({ direction: 'outbound', outcome: 'busy' }, 100),
      expected((call) => isOutbound(call) && call.outcome === 'busy', 100),
    );
    const inbound = ({ direction }: CallRow) => direction === 'inbound';
    assert.deepEqual(await idsOf({ direction: 'inbound' }, 300), expected(inbound, 300));
  });

  test('reads each kind of call from its own part of an index', async () => {
    const { database, statements } = rememberStatements(stage.database);
    for (const filter of [{ outcome: 'busy' }, { direction: 'outbound', since: 1 }] as const)
      await listCalls(database, stage.team.id, filter, 30);
    const plans = await Promise.all(statements.map((statement) => findSearches(stage.database, statement)));
    const countKinds = (plan: readonly string[]): number => plan.join('\n').match(/calls_kind/g)?.length ?? 0;
    // Half of the statements read the calls by their ids.
    assert.equal(plans.filter((plan) => countKinds(plan) >= 2).length, 2);
    assert.doesNotMatch(plans.flat().join('\n'), /calls_team/);
  });

  test('reads each kind of call of one number from its own part of an index', async () => {
    const { database, statements } = rememberStatements(stage.database);
    const isWanted = (call: CallRow) => call.toHash === 'five' && call.outcome === 'busy';
    const found = await listCalls(database, stage.team.id, { toHash: 'five', outcome: 'busy' }, 30);
    assert.deepEqual(
      found.map(({ id }) => id),
      expected(isWanted, 30),
    );
    await listCalls(database, stage.team.id, { fromHash: 'odd', direction: 'outbound', until: 2_000_000 }, 30);
    const plans = await Promise.all(statements.map((statement) => findSearches(stage.database, statement)));
    const plan = plans.flat().join('\n');
    assert.match(plan, /calls_to_kind/);
    assert.match(plan, /calls_from_kind/);
    // The one statement for calls that haven't ended.
    assert.equal(plan.match(/calls_kind/g)?.length, 1);
    assert.doesNotMatch(plan, /calls_team|calls_from\b|calls_to\b/);
  });

  test('with two numbers takes as long as the one with fewer calls', async () => {
    for (const filter of [
      { fromHash: 'even', toHash: 'nobody' },
      { fromHash: 'nobody', toHash: 'five' },
    ]) {
      const { database, statements } = rememberStatements(stage.database);
      assert.deepEqual(await listCalls(database, stage.team.id, filter, 30), []);
      // At most two statements for the first window of each number.
      assert.ok(statements.length <= 4, String(statements.length));
      for (const statement of statements) {
        // Each statement uses the index of its own number, whatever else it checks.
        const [index] = (await findSearches(stage.database, statement)).join('\n').match(/calls_(?:from|to)\b/) ?? [];
        assert.equal(index, / (from|to)_hash = /.exec(statement.text)?.[1] === 'from' ? 'calls_from' : 'calls_to');
      }
    }
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
      const filter = { fromHash: 'even', toHash: 'five', outcome: 'busy', since: 1, until: 2_000_000 } as const;
      await listCalls(watched, stage.team.id, filter, 100);
      const windows = asked.filter(({ text }) => !text.includes('offset'));
      assert.ok(windows.length > 4);
      // The statements search by each of the two numbers in turn.
      for (const { text, values } of windows.slice(2, -1)) {
        const plan = await stage.database.all<{ detail: string }>(`explain query plan ${text}`, values);
        assert.match(
          plan[0]?.detail ?? '',
          /team_id=\? AND (?:from|to)_hash=\? AND \(started_at,id\)>\(\?,\?\) AND \(started_at,id\)<\(\?,\?\)/,
        );
      }
    });

  test('for a number has each call once, whichever end it was on', async () => {
    const found = await listCallsWith(stage.database, stage.team.id, 'even', CALLS);
    const ids = found.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.sort(), expected((call) => call.fromHash === 'even' || call.toHash === 'even', CALLS).sort());
  });

  test('finds the few that wait by their callers', async () => {
    const { team, database } = stage;
    const waiting = calls.filter(({ direction, outcome }) => direction === 'inbound' && outcome === 'busy');
    const isOldest = (call: CallRow) => call === waiting.at(-1);
    assert.ok(waiting.length > 2);
    // All callers but one have called again since, and were answered.
    await database.run('update calls set from_hash = $3 where team_id = $1 and id = $2', [
      team.id,
      waiting.at(-1)?.id ?? '',
      'waits',
    ]);
    await refreshWaiting(database, [
      { teamId: team.id, caller: 'waits' },
      { teamId: team.id, caller: 'even' },
    ]);
    const watched = rememberStatements(database);
    const found = await listCalls(watched.database, team.id, { waiting: true }, 30);
    assert.deepEqual(
      found.map(({ id }) => id),
      expected(isOldest, 30),
    );
    assert.ok(watched.statements.length <= 5, String(watched.statements.length));
    assert.deepEqual(await idsOf({ waiting: true, outcome: 'busy' }, 30), expected(isOldest, 30));
    assert.deepEqual(await idsOf({ waiting: true, outcome: 'missed' }, 30), []);
    const { startedAt = 0, id = '' } = waiting.at(-1) ?? {};
    assert.deepEqual(await idsOf({ waiting: true, until: startedAt }, 30), []);
    assert.deepEqual(await idsOf({ waiting: true, since: startedAt + 1 }, 30), []);
    assert.deepEqual(await idsOf({ waiting: true, after: { startedAt, id } }, 30), []);
  });

  /** Starts a team that has no other calls. */
  const startTeam = async () => {
    const { newId, other, database } = stage;
    const accountId = await stage.addAccount({}, { teamId: other.id });
    const newCall = (caller: string | null, startedAt: number): CallRow => {
      const id = newId();
      const call = { teamId: other.id, accountId, provider: 'stand-in', externalId: id, receivedAt: startedAt };
      return { ...beginCall(id, call), outcome: 'missed', fromHash: caller };
    };
    const put = (made: readonly CallRow[]): Promise<void> =>
      database.transaction(async (tx) => {
        await insertCalls(tx, made, 1);
        await refreshWaiting(tx, made.map(toCaller));
      });
    return { newCall, put };
  };

  test('of who waits leaves out nobody because others have called more often', async () => {
    const { newCall, put } = await startTeam();
    const callers = Array.from({ length: 100 }, (_, index) => `caller ${index}`);
    const newest = callers.map((caller, index) => newCall(caller, 1_000 - index));
    const attempts = callers.map((caller, index) => newCall(caller, 500 - index));
    const anonymous = newCall(null, 600);
    await put([...newest, ...attempts, anonymous]);
    const search = startCallerSearch(stage.database, { teamId: stage.other.id, filter: {}, limit: 102 });
    assert.equal(await search(), null, 'Those who were looked at first have more than enough calls.');
    assert.deepEqual(
      await search(),
      [...newest, anonymous, ...attempts.slice(0, 1)].map(({ id }) => id),
    );
  });

  test('of who waits has the newest of two calls that two processes store at the same moment', async () => {
    const { newCall, put } = await startTeam();
    const [newer, older] = [newCall('twice', 2_000_000), newCall('twice', 1_900_000)];
    await runTogether(stage.database, 'waiting_callers', [() => put([newer]), () => put([older])]);
    const rows = await stage.database.all<{ id: string }>(
      'select call_id as id from waiting_callers where caller = $1',
      ['twice'],
    );
    assert.deepEqual(
      rows.map(({ id }) => id),
      [newer.id],
    );
  });
});
