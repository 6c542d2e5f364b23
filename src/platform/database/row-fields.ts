import type { Queries, Value } from './database.ts';
import type { RowTable } from './row-table.ts';

/** The field `teamId` is the column `team_id`. */
const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Inserts an object whose fields are all columns of the table. */
export const insertRow = (queries: Queries, table: string, row: Readonly<Record<string, Value>>): Promise<number> => {
  const columns = Object.keys(row).map(columnOf);
  const places = columns.map((_, index) => `$${index + 1}`);
  return queries.run(`insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`, Object.values(row));
};

/** Makes a `RowTable` of objects: declares each field once, with the type of its column. */
export const createRowTable = <Field extends string>(types: Readonly<Record<Field, 'text' | 'bigint'>>) => {
  const fields = Object.keys(types) as Field[];
  const columns = Object.fromEntries(fields.map((field) => [columnOf(field), types[field]]));
  return (rows: readonly Readonly<Record<Field, string | number | null>>[]): RowTable => ({
    columns,
    rows: rows.map((row) => fields.map((field) => row[field])),
  });
};
