import {
  CommandRefused,
  holdWrites,
  type Loader,
  lockDirectory,
  type Migration,
  movedMarkIn,
  openLoader,
  openSnapshot,
  PlaceTaken,
  type Progress,
  readPostgresqlAddress,
  type Secret,
  type Snapshot,
  toIso,
} from '../platform/index.ts';
import type { TableSummary } from './archive.ts';
import { countRowsIn, listAppliedIn } from './archive-store.ts';
import { listArchivedTables, summarizeTable } from './archived-tables.ts';
import { fillDatabase, type LoadContext, type Loaded } from './fill-database.ts';
import { findMigrations } from './find-migrations.ts';
import type { VisitRows } from './read-archive.ts';

export type MoveContext = LoadContext & { dataDirectory: string };

/** `to` is the new server and database, without user and password. */
type Moved = Loaded & { to: string };

type Source = { snapshot: Snapshot; migrations: readonly Migration[] };

const readTables = async ({ snapshot, migrations }: Source, onRows: VisitRows): Promise<TableSummary[]> => {
  const summaries: TableSummary[] = [];
  for (const table of listArchivedTables(migrations)) {
    const start = { table: table.name, columns: Object.keys(table.columns) };
    summaries.push(await summarizeTable(snapshot, table, (rows) => onRows(start, rows)));
  }
  return summaries;
};

/**
 * Checks whether PostgreSQL already has everything: an earlier run may have been interrupted after its commit. Null if
 * not.
 */
const findFinished = async ({ dataDirectory }: MoveContext, source: Source, url: Secret): Promise<Loaded | null> => {
  const snapshot = await openSnapshot({ url, dataDirectory });
  try {
    const applied = findMigrations(await listAppliedIn(snapshot));
    // The schema in PostgreSQL may be newer, because the move also applies newer migrations.
    if (!source.migrations.every(({ id }) => applied.some((migration) => migration.id === id))) return null;
    const wanted = await readTables(source, () => undefined);
    const tables = await readTables({ ...source, snapshot }, () => undefined);
    if (JSON.stringify(wanted) !== JSON.stringify(tables)) return null;
    return { tables, sealed: { opened: 0, broken: [] } };
  } finally {
    await snapshot.close();
  }
};

const moveFrom = async (
  context: MoveContext,
  source: Source,
  url: Secret,
  { mayBeThere, onFilled, progress }: { mayBeThere: boolean; onFilled(): void; progress: Progress },
): Promise<Loaded> => {
  const { dataDirectory } = context;
  let loader: Loader;
  try {
    loader = await openLoader({ url, dataDirectory });
  } catch (error) {
    if (!(error instanceof PlaceTaken)) throw error;
    const finished = mayBeThere ? await findFinished(context, source, url) : null;
    if (!finished) throw new CommandRefused(error.message);
    return finished;
  }
  try {
    const about = await countRowsIn(source.snapshot, listArchivedTables(source.migrations));
    const read = (onRows: VisitRows) => readTables(source, onRows);
    const target = { loader, finish: async () => onFilled() };
    return await fillDatabase(context, target, { migrations: source.migrations, about, read }, progress);
  } finally {
    await loader.close();
  }
};

/**
 * Moves everything from the SQLite file to an empty PostgreSQL database. The service must not be running, because what
 * it writes meanwhile would be lost. The file stays as it is, with a mark beside it that keeps it from being used by
 * mistake:
 *
 *   none ──everything is written and compared──▶ begun ──PostgreSQL has committed──▶ done
 *
 * Without a mark, an interruption changes nothing here, and PostgreSQL rolls back. With a mark, the next run finds out
 * whether PostgreSQL has everything or nothing.
 */
export const moveDatabase = async (context: MoveContext, url: Secret, progress: Progress): Promise<Moved> => {
  const { clock, dataDirectory } = context;
  const { host, pathname } = new URL(readPostgresqlAddress(url.reveal())?.url ?? '');
  const to = `${host}${pathname}`;
  const begunAt = toIso(clock.now());
  const mark = movedMarkIn(dataDirectory);
  const lock = lockDirectory(dataDirectory);
  try {
    const before = mark.read();
    if (before?.doneAt) throw new CommandRefused(mark.describe(before));
    const held = holdWrites(dataDirectory);
    try {
      const snapshot = await openSnapshot({ url: null, dataDirectory });
      try {
        const source = { snapshot, migrations: findMigrations(await listAppliedIn(snapshot)) };
        const onFilled = (): void => mark.write({ to, begunAt, doneAt: null });
        const loaded = await moveFrom(context, source, url, { mayBeThere: before?.to === to, onFilled, progress });
        mark.write({ to, begunAt, doneAt: toIso(clock.now()) });
        return { to, ...loaded };
      } finally {
        await snapshot.close();
      }
    } finally {
      held.release();
    }
  } finally {
    lock.release();
  }
};
