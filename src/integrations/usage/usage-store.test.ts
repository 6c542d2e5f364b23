import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createTestClock } from '../../../test/harness/app.ts';
import { openConnectionRows } from '../../../test/harness/connection-rows.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import { listConnections } from '../connections/connection-store.ts';
import { handlePruneUsage } from './prune-usage.job.ts';
import { hourOf } from './usage-meter.ts';
import { addUsage, type Usage } from './usage-store.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const KEPT_DAYS = 90;

onEachEngine('the use of connections', (engine) => {
  const clock = createTestClock();
  const rows = useStage(() => openConnectionRows(engine));
  const database = prepare(async () => rows.database);
  const hour = hourOf(clock.now());
  afterEach(() => rows.clear());

  const put = async (id: string): Promise<{ teamId: string; connectionId: string }> => {
    const { teamId } = await rows.put(id);
    return { teamId, connectionId: id };
  };

  const add = (used: (Partial<Usage> & Pick<Usage, 'teamId' | 'connectionId'>)[]): Promise<void> =>
    database.transaction((tx) =>
      addUsage(
        tx,
        used.map((row) => ({ tokenId: null, hour, requests: 1, failures: 0, bytes: 0, usedAt: clock.now(), ...row })),
      ),
    );

  const readAll = async () => {
    const all = await database.all<Usage>(
      `select connection_id as "connectionId", hour, requests, failures, bytes from connection_usage
        order by connection_id, hour`,
    );
    return all.map((row) => ({ ...row }));
  };

  test('is added to what was written about the same hour, and about no other', async () => {
    const [one, two] = [await put('one'), await put('two')];
    await add([
      { ...one, requests: 2, failures: 1, bytes: 10 },
      { ...one, hour: hour + 1, requests: 4 },
    ]);
    await add([
      { ...two, requests: 8 },
      { ...one, requests: 16, failures: 2, bytes: 100 },
    ]);
    assert.deepEqual(await readAll(), [
      { connectionId: 'one', hour, requests: 18, failures: 3, bytes: 110 },
      { connectionId: 'one', hour: hour + 1, requests: 4, failures: 0, bytes: 0 },
      { connectionId: 'two', hour, requests: 8, failures: 0, bytes: 0 },
    ]);
  });

  test("is written although some of them are gone, and not for a connection that is another team's", async () => {
    const { connectionId, teamId } = await put('one');
    await add([
      { connectionId: 'gone', teamId },
      { connectionId, teamId: 'other' },
    ]);
    assert.deepEqual(await readAll(), []);
    const [unused] = await listConnections(database, teamId);
    assert.equal(unused?.usedAt, null);
    await add([
      { connectionId: 'gone', teamId },
      { connectionId, teamId, usedAt: clock.now() + 5 },
      { connectionId, teamId, hour: hour + 1, usedAt: clock.now() + 7 },
    ]);
    assert.equal((await readAll()).length, 2);
    const [used] = await listConnections(database, teamId);
    assert.equal(used?.usedAt, clock.now() + 7);
  });

  test('is kept for ninety days, and then deleted, however much there is', async () => {
    const one = await put('one');
    const first = hour - KEPT_DAYS * DAY_HOURS;
    await add(Array.from({ length: 450 }, (_, ago) => ({ ...one, hour: first - 1 - ago })));
    await add([
      { ...one, hour: first },
      { ...one, hour },
    ]);
    await handlePruneUsage({ database: rows.database, clock })();
    assert.deepEqual(
      (await readAll()).map((row) => row.hour),
      [first, hour],
    );
    clock.advance(HOUR_MS);
    await handlePruneUsage({ database: rows.database, clock })();
    assert.deepEqual(
      (await readAll()).map((row) => row.hour),
      [hour],
    );
  });
});
