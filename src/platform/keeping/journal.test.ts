import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { createJournal } from './journal.ts';

type Row = { id: string };

const OPENLY = { seal: (text: string) => text, open: (line: string) => line };

onEachEngine('a journal with more deliveries than are stored at once', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const ids = Array.from({ length: 451 }, (_, index) => `delivery ${index}`);

  const write = async (name: string) => {
    const folder = join(house.config.data, name);
    const journal = createJournal<Row>(OPENLY, house.app.log, folder);
    await Promise.all(ids.map((id) => journal.append({ id })));
    return { journal, listFiles: () => readdirSync(folder) };
  };

  test('is stored completely, in its order, before it is removed', async () => {
    const { journal, listFiles } = await write('whole');
    const stored: string[] = [];
    const store = async (rows: readonly Row[]): Promise<void> => {
      assert.equal(listFiles().length, 1);
      stored.push(...rows.map(({ id }) => id));
    };
    assert.equal(await journal.ingest(store), ids.length);
    assert.deepEqual(stored, ids);
    assert.deepEqual(listFiles(), []);
  });

  test('is kept if some of it is refused', async () => {
    const { journal, listFiles } = await write('refused');
    const store = async (rows: readonly Row[]): Promise<string> =>
      rows.some(({ id }) => id === 'delivery 0') ? 'some_refused' : 'stored';
    assert.equal(await journal.ingest(store), ids.length);
    assert.equal(listFiles().length, 1);
  });
});
