import type { Applied, Queries, ScannedRow, Snapshot, Table } from '../platform/index.ts';

export const listAppliedIn = async (snapshot: Snapshot): Promise<Applied[]> => {
  const applied: Applied[] = [];
  for await (const rows of snapshot.read<[id: string, digest: string]>(
    'select id, digest from schema_migrations order by id',
  ))
    applied.push(...rows.map(([id, digest]) => ({ id, digest })));
  return applied;
};

/** About how many rows there are. On PostgreSQL, jobs aren't included, because pg-boss keeps them in its own tables. */
export const countRowsIn = async (snapshot: Snapshot, tables: readonly Table[]): Promise<number> => {
  const counts = tables.map(({ name }) => `(select count(*) from ${name})`);
  for await (const [row] of snapshot.read<[count: number]>(`select ${counts.join(' + ')}`)) return row?.[0] ?? 0;
  return 0;
};

export const readRowsIn = (snapshot: Snapshot, { name, columns }: Table): AsyncIterable<ScannedRow[]> =>
  snapshot.read(`select ${Object.keys(columns).join(', ')} from ${name}`);

/** Deletes all rows of a table, in a database that is being filled. */
export const deleteRows = (queries: Queries, { name }: Table): Promise<number> => queries.run(`delete from ${name}`);
