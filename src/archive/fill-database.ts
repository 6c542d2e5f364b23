import {
  applyMigrations,
  type Clock,
  CommandRefused,
  describeRefusedRow,
  type Loader,
  type Migration,
  type Progress,
  type ScannedRow,
  type Table,
  type Transaction,
} from '../platform/index.ts';
import { createSealCheck, type KeyRing, type SealCheck, type SealedColumn } from '../vault/index.ts';
import { ArchiveRefused, type TableSummary } from './archive.ts';
import { deleteRows } from './archive-store.ts';
import { listArchivedTables, summarizeTable } from './archived-tables.ts';
import type { VisitRows } from './read-archive.ts';

export type LoadContext = {
  clock: Clock;
  ring: KeyRing;
  /** The encrypted columns of all parts of the service. */
  sealedColumns: readonly SealedColumn[];
};

/** The source of the rows: the migrations of its schema, about how many rows there are, and how to read them. */
type Content = {
  migrations: readonly Migration[];
  about: number;
  read(onRows: VisitRows): Promise<readonly TableSummary[]>;
};

type Target = {
  loader: Loader;
  /** Called once all rows are written, in the same transaction. */
  finish(tx: Transaction): Promise<void>;
};

export type Loaded = { tables: TableSummary[]; sealed: ReturnType<SealCheck['summarize']> };

/** Finds a table by name, and checks its columns. Unknown names are refused, because they become part of SQL. */
const findKnown = (tables: readonly Table[], name: string, columns: readonly string[]): Table => {
  const known = tables.find((table) => table.name === name);
  if (!known) throw new ArchiveRefused('It has a table that its migrations do not make.');
  if (Object.keys(known.columns).join() !== columns.join())
    throw new ArchiveRefused(`The table ${name} does not have the columns that its migrations make.`);
  return known;
};

const fits = (type: 'text' | 'bigint', value: ScannedRow[number]): boolean =>
  value === null || (type === 'text' ? typeof value === 'string' : Number.isSafeInteger(value));

/**
 * Refuses values of the wrong type. SQLite stores values of any type, and PostgreSQL stores integers that are too large
 * for a JavaScript number.
 */
const refuseUnlessFitting = ({ name, columns }: Table, rows: readonly ScannedRow[]): void => {
  const types = Object.entries(columns);
  for (const row of rows)
    for (const [at, [column, type]] of types.entries())
      if (!fits(type, row[at] ?? null))
        throw new ArchiveRefused(`A value of ${name}.${column} is not ${type === 'text' ? 'text' : 'a whole number'}.`);
};

const refuseUnlessSame = (found: TableSummary, expected: readonly TableSummary[]): void => {
  const wanted = expected.find(({ name }) => name === found.name);
  if (wanted?.rows !== found.rows || wanted.digest !== found.digest)
    throw new CommandRefused(`The table ${found.name} is not the same after it was written. Nothing was kept.`);
};

/** Explains why the database refused a row. Names tables and columns, but shows no values. */
const explainRefused = (error: unknown): unknown => {
  const refused = describeRefusedRow(error);
  return refused === null ? error : new ArchiveRefused(`The database refused a row: ${refused}. Nothing was kept.`);
};

/**
 * Fills an empty database and commits. First come the tables as they were when the rows were written, then the rows,
 * and then newer migrations. Before the newer migrations, every table is read back and compared.
 */
export const fillDatabase = async (
  context: LoadContext,
  { loader, finish }: Target,
  content: Content,
  progress: Progress,
): Promise<Loaded> => {
  const { clock, ring, sealedColumns } = context;
  const tables = listArchivedTables(content.migrations);
  const seals = createSealCheck(ring, sealedColumns);
  // Progress includes every row twice: when it's written, and when it's read back.
  let done = 0;
  const advance = (rows: number): void => {
    done += rows;
    progress(done, Math.max(done, 2 * content.about));
  };

  await applyMigrations(loader.tx, clock, [...content.migrations]);
  // Delete the rows that migrations have inserted, children first.
  for (const table of tables.toReversed()) await deleteRows(loader.tx, table);
  const restoreIndexes = await loader.dropIndexes();
  const found: TableSummary[] = [];
  try {
    const expected = await content.read(async ({ table, columns }, rows) => {
      refuseUnlessFitting(findKnown(tables, table, columns), rows);
      seals.add(table, columns, rows);
      await loader.insert(table, columns, rows);
      advance(rows.length);
    });
    await restoreIndexes();
    for (const table of tables) {
      const summary = await summarizeTable(loader, table, (rows) => advance(rows.length));
      refuseUnlessSame(summary, expected);
      found.push(summary);
    }
  } catch (error) {
    throw explainRefused(error);
  }
  await applyMigrations(loader.tx, clock);
  await finish(loader.tx);
  await loader.commit();
  return { tables: found, sealed: seals.summarize() };
};
