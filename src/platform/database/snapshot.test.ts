import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore, onEachEngine, type TestStore } from '../../../test/harness/databases.ts';
import type { Database, ScannedRow } from './database.ts';
import { openDatabase, openSnapshot } from './open-database.ts';
import { PIECE_CHARACTERS, SNAPSHOT_PIECE } from './snapshot.ts';

const SMALL = 2_500;
const LARGE = 150;
/** The size of a large row. Forty of them fill a piece. */
const LARGE_CHARACTERS = PIECE_CHARACTERS / 40;

onEachEngine('a snapshot', (engine) => {
  let store: TestStore;
  let database: Database;

  before(async () => {
    store = await createTestStore(engine, { migrated: false });
    database = openDatabase(store.settings, () => undefined);
    await database.transaction((tx) => tx.script('create table pages (id bigint, body text)'));
    const rows = Array.from({ length: SMALL }, (_, index) => [index, 'x']);
    await database.runFrom(
      { columns: { id: 'bigint', body: 'text' }, rows },
      'insert into pages (id, body) select id, body from rows where true',
    );
    const body = 'x'.repeat(LARGE_CHARACTERS);
    for (let id = SMALL; id < SMALL + LARGE; id++)
      await database.run('insert into pages (id, body) values ($1, $2)', [id, body]);
  });

  after(async () => {
    await database.close();
    await store.remove();
  });

  const readPieces = async (where: string): Promise<ScannedRow[][]> => {
    const snapshot = await openSnapshot(store.settings);
    const pieces: ScannedRow[][] = [];
    for await (const rows of snapshot.read(`select id, body from pages where ${where} order by id`)) pieces.push(rows);
    await snapshot.close();
    return pieces;
  };
  const idsIn = (pieces: readonly ScannedRow[][]): number[] => pieces.flat().map(([id]) => Number(id));
  const count = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);

  test('has every row once, some at a time', async () => {
    const pieces = await readPieces(`id < ${SMALL}`);
    assert.deepEqual(idsIn(pieces), count(0, SMALL));
    assert.ok(pieces.length > 1 && pieces.every(({ length }) => length <= SNAPSHOT_PIECE));
  });

  test('has fewer large rows at a time, once it is known that they are', async () => {
    const pieces = await readPieces(`id >= ${SMALL}`);
    assert.deepEqual(idsIn(pieces), count(SMALL, LARGE));
    assert.ok(pieces.length > 2, `${pieces.length} pieces`);
    for (const piece of pieces.slice(1))
      assert.ok(piece.length * LARGE_CHARACTERS <= PIECE_CHARACTERS, `${piece.length} rows`);
  });
});
