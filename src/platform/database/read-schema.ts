import { DatabaseSync } from 'node:sqlite';
import { type Migration, readMigrations } from './migration-state.ts';

export type Table = {
  name: string;
  columns: Readonly<Record<string, 'text' | 'bigint'>>;
  /** The tables that this table's foreign keys refer to. */
  parents: readonly string[];
};

const describeTable = (database: DatabaseSync, name: string): Table => {
  const columns = database.prepare(`pragma table_info (${name})`).all() as { name: string; type: string }[];
  const foreign = database.prepare(`pragma foreign_key_list (${name})`).all() as { table: string }[];
  const types = columns.map((column) => {
    const type = column.type.toLowerCase();
    if (type !== 'text' && type !== 'bigint') throw new TypeError(`${name}.${column.name} is neither text nor bigint.`);
    return [column.name, type] as const;
  });
  return { name, columns: Object.fromEntries(types), parents: foreign.map(({ table }) => table) };
};

const sortParentsFirst = (tables: readonly Table[]): Table[] => {
  const sorted = new Set<Table>();
  const isSorted = (parent: string): boolean => [...sorted].some(({ name }) => name === parent);
  while (sorted.size < tables.length) {
    const next = tables.find((table) => !sorted.has(table) && table.parents.every(isSorted));
    if (!next) throw new TypeError('Tables refer to each other in a circle.');
    sorted.add(next);
  }
  return [...sorted];
};

/**
 * Lists the tables that these migrations create on either engine, parents before the tables that refer to them. Reads
 * the migrations themselves, so that no new table is forgotten. Leaves out `schema_migrations`.
 */
export const readSchema = (migrations: readonly Migration[] = readMigrations()): Table[] => {
  const database = new DatabaseSync(':memory:');
  try {
    for (const { text } of migrations) database.exec(text);
    const names = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
      .all() as { name: string }[];
    return sortParentsFirst(names.map(({ name }) => describeTable(database, name)));
  } finally {
    database.close();
  }
};
