import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../../test/harness/app.ts';
import { onEachEngine } from '../../../../test/harness/databases.ts';
import { useStage } from '../../../../test/harness/use-stage.ts';
import { deleteArrivalsAt, deleteOldArrivals, insertArrived } from './arrival-store.ts';

const MANY = 450;

onEachEngine('what has arrived', (engine) => {
  const house = useStage(() => createTestApp(engine));

  test('is forgotten by its age and by its address, however much it is, and nothing else is', async () => {
    const { database } = house.app;
    const add = (address: string, count: number, at: number) =>
      database.transaction((tx) =>
        insertArrived(
          tx,
          Array.from({ length: count }, (_, number) => ({ address, repeat: `${at} ${number}` })),
          at,
        ),
      );
    const count = async () =>
      (
        await database.all<{ address: string; n: number }>(
          'select address, count(*) as n from webhook_arrivals group by address order by address',
          [],
        )
      ).map(({ address, n }) => [address, Number(n)]);
    await add('ours', MANY, 1);
    await add('ours', MANY, 2);
    await add('theirs', MANY, 1);
    await add('theirs', 1, 2);
    assert.equal(await deleteOldArrivals(database, 2), 2 * MANY);
    assert.deepEqual(await count(), [
      ['ours', MANY],
      ['theirs', 1],
    ]);
    let pieces = 0;
    await deleteArrivalsAt(database, 'ours', async () => void pieces++);
    assert.ok(pieces > 1);
    assert.deepEqual(await count(), [['theirs', 1]]);
  });
});
