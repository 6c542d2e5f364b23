import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Settings } from '../service/place.ts';

/** Uses only the driver, for statements that take longer than the service allows. Both engines take the same SQL. */
export type RawDatabase = {
  run(text: string, values?: readonly (string | number)[]): Promise<void>;
  close(): Promise<void>;
};

const openSqlite = (directory: string): RawDatabase => {
  const database = new DatabaseSync(join(directory, 'patchbay.db'), { timeout: 5_000 });
  database.exec('pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -500000');
  return {
    async run(text, values = []) {
      const bound = values.map((value) => (typeof value === 'number' ? BigInt(value) : value));
      database.prepare(text.replace(/\$(\d)/g, '?$1')).run(...bound);
    },
    async close() {
      database.close();
    },
  };
};

export const openRawDatabase = async ({ PATCHBAY_DATA, DATABASE_URL }: Settings): Promise<RawDatabase> => {
  if (DATABASE_URL === undefined) return openSqlite(PATCHBAY_DATA);
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  return {
    async run(text, values = []) {
      await client.query(text, [...values]);
    },
    close: () => client.end(),
  };
};
