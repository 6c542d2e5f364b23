import { ARCHIVED_JOBS, readArchivedJobs } from '../jobs/index.ts';
import { type Migration, readSchema, type ScannedRow, type Snapshot, type Table } from '../platform/index.ts';
import { TEAM_KEYS } from '../vault/index.ts';
import { createTableDigest, type TableSummary } from './archive.ts';
import { readRowsIn } from './archive-store.ts';

const keysFirst = (tables: readonly Table[]): Table[] => {
  const keys = tables.filter(({ name }) => name === TEAM_KEYS);
  const before = new Set(keys.flatMap(({ parents }) => parents));
  const isBefore = ({ name }: Table): boolean => before.has(name);
  const others = tables.filter((table) => !isBefore(table) && !keys.includes(table));
  return [...tables.filter(isBefore), ...keys, ...others];
};

/**
 * Lists every table that the migrations create, parents first. Team keys come as early as possible, because later rows
 * are decrypted with them. Jobs are archived in a form that both engines have.
 */
export const listArchivedTables = (migrations?: readonly Migration[]): Table[] =>
  keysFirst(readSchema(migrations)).map((table) => (table.name === ARCHIVED_JOBS.name ? ARCHIVED_JOBS : table));

export const readTable = (snapshot: Snapshot, table: Table): AsyncIterable<ScannedRow[]> =>
  table === ARCHIVED_JOBS ? readArchivedJobs(snapshot) : readRowsIn(snapshot, table);

/** Reads all rows of a table and returns their count and checksum. */
export const summarizeTable = async (
  snapshot: Snapshot,
  table: Table,
  onRows: (rows: ScannedRow[]) => void | Promise<void>,
): Promise<TableSummary> => {
  const digest = createTableDigest();
  for await (const rows of readTable(snapshot, table)) {
    for (const row of rows) digest.add(row);
    await onRows(rows);
  }
  return digest.summarize(table.name);
};
