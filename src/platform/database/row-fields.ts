import type { Queries, Value } from './database.ts';
import type { RowTable } from './row-table.ts';

/** Turns the name of a field into its column's: `teamId` is `team_id`. */
const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Inserts an object whose fields are all columns of the table. */
export const insertRow = (
  queries: Queries,
  table: string,
  row: Readonly<Record<string, Value>>,
  onConflict = '',
): Promise<number> => {
  const columns = Object.keys(row).map(columnOf);
  const places = columns.map((_, index) => `$${index + 1}`);
  return queries.run(
    `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) ${onConflict}`,
    Object.values(row),
  );
};

/** Returns the columns to select for an object with these fields. */
export const selectFields = (fields: readonly string[]): string =>
  fields.map((field) => `${columnOf(field)} as "${field}"`).join(', ');

type Fields<Field extends string> = Readonly<Record<Field, string | number | null>>;

/** Names each field of a row once, with the type of its column, for statements that take many rows. */
export const defineRow = <Field extends string>(types: Readonly<Record<Field, 'text' | 'bigint'>>) => {
  const fields = Object.keys(types) as Field[];
  const columns = Object.fromEntries(fields.map((field) => [columnOf(field), types[field]]));
  const toValues = (row: Fields<Field>) => fields.map((field) => row[field]);
  return {
    columns,
    toValues,
    toTable: (rows: readonly Fields<Field>[]): RowTable => ({ columns, rows: rows.map(toValues) }),
  };
};
