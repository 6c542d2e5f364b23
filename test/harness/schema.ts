import { globSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export type Column = {
  name: string;
  type: 'text' | 'bigint';
  /** The table whose rows it refers to. */
  references: string | null;
  /** The values that it may have, if not any. */
  allowed: readonly (string | number)[] | null;
};

export type Table = {
  name: string;
  columns: readonly Column[];
  /** The columns that an index begins with, and so finds rows by. */
  indexed: ReadonlySet<string>;
};

const CHECK = /check \((\w+) in \(([^)]*)\)\)/g;

const parseAllowed = (definition: string): Map<string, (string | number)[]> =>
  new Map(
    [...definition.matchAll(CHECK)].map(([, column = '', list = '']) => [
      column,
      list.split(',').map((value) => {
        const text = value.trim();
        return text.startsWith("'") ? text.slice(1, -1) : Number(text);
      }),
    ]),
  );

type IndexRow = { name: string; partial: number };

/** A partial index finds rows by its first column only if it leaves out no more than those without a value there. */
const firstColumns = (database: DatabaseSync, table: string): Set<string> => {
  const indexes = database.prepare(`pragma index_list (${table})`).all() as IndexRow[];
  return new Set(
    indexes.flatMap(({ name, partial }) => {
      const [first] = database.prepare(`pragma index_info (${name})`).all() as { name: string }[];
      const definition = database.prepare('select sql from sqlite_master where name = ?').get(name) as {
        sql: string | null;
      };
      const isUsable = !partial || definition.sql?.endsWith(`where ${first?.name} is not null`);
      return first && isUsable ? [first.name] : [];
    }),
  );
};

/** Every table that the migrations make, parents before those that refer to them. Both engines have the same. */
export const readSchema = (): Table[] => {
  const database = new DatabaseSync(':memory:');
  for (const file of globSync('migrations/*.sql').sort()) database.exec(readFileSync(file, 'utf8'));
  const rows = database
    .prepare("select name, sql from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all() as { name: string; sql: string }[];
  const tables = rows.map(({ name, sql }): Table => {
    const foreign = database.prepare(`pragma foreign_key_list (${name})`).all() as { from: string; table: string }[];
    const references = new Map(foreign.map(({ from, table }) => [from, table]));
    const allowed = parseAllowed(sql);
    const columns = database.prepare(`pragma table_info (${name})`).all() as { name: string; type: string }[];
    return {
      name,
      columns: columns.map((column) => ({
        name: column.name,
        type: column.type.toLowerCase() === 'bigint' ? 'bigint' : 'text',
        references: references.get(column.name) ?? null,
        allowed: allowed.get(column.name) ?? null,
      })),
      indexed: firstColumns(database, name),
    };
  });
  database.close();
  const sorted: Table[] = [];
  const isReady = ({ columns }: Table) =>
    columns.every(({ references }) => references === null || sorted.some(({ name }) => name === references));
  while (sorted.length < tables.length) {
    const ready = tables.filter((table) => !sorted.includes(table) && isReady(table));
    if (ready.length === 0) throw new Error('The tables refer to each other in a circle.');
    sorted.push(...ready);
  }
  return sorted;
};
