import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { INSERT_MS } from './insert-rows.ts';
import { CREATE_TABLE, createRowMaker, INSERT_ONE } from './rows.ts';

/**
 * Inserts rows in the simplest way: with a prepared statement of `node:sqlite`, and COMMIT waits for the disk. Returns
 * rows per second.
 */
export const insertBare = (directory: string): number => {
  const database = new DatabaseSync(join(directory, 'bare.db'));
  try {
    database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${CREATE_TABLE}`);
    const insert = database.prepare(INSERT_ONE.replaceAll('$', '?'));
    const makeRow = createRowMaker();
    const begun = performance.now();
    let rows = 0;
    for (; performance.now() - begun < INSERT_MS; rows++) {
      const [id = null, key = null, receivedAt = null, payload = null] = makeRow().values;
      insert.run(id as string, key as string, receivedAt as number, payload as string);
    }
    const seconds = (performance.now() - begun) / 1_000;
    const stored = database.prepare('select count(*) as n from bench_rows').get()?.['n'];
    if (stored !== rows) throw new Error(`${rows} rows were inserted and ${stored} are stored.`);
    return rows / seconds;
  } finally {
    database.close();
  }
};
