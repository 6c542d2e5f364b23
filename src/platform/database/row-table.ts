/**
 * Many rows for one statement, which reads them as a table named `rows`:
 * `insert into notes (id, body) select id, body from rows where true`.
 */
export type RowTable = {
  columns: Readonly<Record<string, 'text' | 'bigint'>>;
  rows: readonly (readonly (string | number | null)[])[];
};

const define = (names: readonly string[], columns: readonly string[], source: string): string =>
  `with rows (${names.join(', ')}) as (select ${columns.join(', ')} from ${source})`;

export const sqliteRowTable = ({ columns }: RowTable): string => {
  const names = Object.keys(columns);
  return define(
    names,
    names.map((_, index) => `value ->> ${index}`),
    'json_each($1)',
  );
};

export const postgresqlRowTable = ({ columns }: RowTable): string =>
  define(
    Object.keys(columns),
    Object.values(columns).map((type, index) => `cast(value ->> ${index} as ${type})`),
    'jsonb_array_elements(cast($1 as jsonb))',
  );
