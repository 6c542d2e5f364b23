import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/platform/index.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { MARKS_TABLE, startGroupWriter } from '../harness/group-writer-process.ts';
import { createRandom } from '../harness/random.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ROUNDS = 8;
const MOST_BEFORE_KILL = 3_000;

onEachEngine('a process killed while writing', (engine) => {
  test('has every row it confirmed in the table, exactly once', async (context) => {
    const store = await createTestStore(engine);
    context.after(() => store.remove());
    const database = openDatabase(store.settings, () => undefined);
    context.after(() => database.close());
    await database.transaction((tx) => tx.script(MARKS_TABLE));

    const random = createRandom('kills');
    let told = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const killAt = random.integer(1, MOST_BEFORE_KILL);
      const writer = startGroupWriter(`r${round}`, store.settings);
      await waitUntil('enough is written', () => writer.lines.length >= killAt, 30_000);
      const lines = await writer.kill();
      const rows = await database.all<{ id: string; n: number }>(
        'select id, count(*) as n from marks where id like $1 group by id',
        [`r${round}-%`],
      );
      const times = new Map(rows.map(({ id, n }) => [id, n]));
      const settled = lines.map((line) => line.split(' '));
      assert.deepEqual(
        settled.filter(([id = '', outcome]) => outcome !== 'inserted' || times.get(id) !== 1),
        [],
        `round ${round}, killed after ${killAt}`,
      );
      assert.deepEqual(
        rows.filter(({ n }) => n !== 1),
        [],
        'No row is there twice.',
      );
      told += settled.length;
    }
    context.diagnostic(`${engine}: ${told} rows told of in ${ROUNDS} rounds, none lost`);
  });
});
