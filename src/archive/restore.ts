import {
  CommandRefused,
  lockDirectory,
  openLoader,
  PlaceTaken,
  type Progress,
  type ScannedRow,
  type Store,
  setPaused,
  type Transaction,
} from '../platform/index.ts';
import { ArchiveRefused, type TableStart } from './archive.ts';
import { AUDIO, type AudioTarget, createAudioRestorer } from './archived-audio.ts';
import { fillDatabase, type LoadContext, type Loaded } from './fill-database.ts';
import { findMigrations } from './find-migrations.ts';
import { type ArchiveContent, readArchive, readHeader, type VisitRows } from './read-archive.ts';

export type RestoreContext = LoadContext & {
  /** Whether a backup without an authentication code is restored, too. */
  unauthenticated: boolean;
  store: Store;
  /** Stores the recordings. */
  audio: AudioTarget;
  /** Changes what must differ between this copy and the original, besides the pause. Runs in the same transaction. */
  setApart(tx: Transaction): Promise<void>;
};

/**
 * `recordings`: how many were restored with their audio. `withoutAudio`: how many have a row, but no audio in the
 * backup.
 */
type Restored = Loaded &
  Pick<ArchiveContent, 'authenticated'> & {
    takenAt: string;
    migration: string;
    recordings: number;
    withoutAudio: number;
  };

const RECORDINGS = 'recordings';

/** Locks the data directory. With PostgreSQL, the loader takes a lock in the database instead. */
const lockPlace = ({ url, dataDirectory }: Store): { release(): void } =>
  url ? { release: () => undefined } : lockDirectory(dataDirectory);

const openPlace = async (store: Store) => {
  try {
    return await openLoader(store);
  } catch (error) {
    if (!(error instanceof PlaceTaken)) throw error;
    const advice = store.url
      ? ''
      : ' Restore into another directory (PATCHBAY_DATA). If the keys are in secrets.json, copy that file there first.';
    throw new CommandRefused(`${error.message}${advice}`);
  }
};

const noteRecordings = (known: Set<string>, { columns }: TableStart, rows: readonly ScannedRow[]): void => {
  const [teamAt, idAt] = [columns.indexOf('team_id'), columns.indexOf('id')];
  for (const row of rows) known.add(`${row[teamAt]}/${row[idAt]}`);
};

const countStored = ({ columns }: TableStart, rows: readonly ScannedRow[]): number => {
  const stateAt = columns.indexOf('state');
  return rows.filter((row) => row[stateAt] === 'archived').length;
};

/**
 * Fills an empty database from a backup. The database can't be used before everything is written, compared, and on
 * disk. The service is then paused, because the original may still be running. The file is read twice: first to check
 * that it's ours, and then to write it. If it has changed in between, everything is rolled back.
 */
export const restore = async (context: RestoreContext, path: string, progress: Progress): Promise<Restored> => {
  const { ring, unauthenticated, store, clock, audio, setApart } = context;
  const known = new Set<string>();
  const recordings = createAudioRestorer(audio, ({ teamId, id }) => known.has(`${teamId}/${id}`));
  let restored = 0;
  let stored = 0;
  const first = await readHeader(path);
  const { takenAt, about } = first;
  const hasAudio = first.tables.includes(AUDIO.name);
  const migrations = findMigrations(first.migrations);
  const readSame = async (onRows: VisitRows): Promise<ArchiveContent> => {
    const content = await readArchive(path, { ring, unauthenticated }, onRows);
    if (JSON.stringify(content.header) !== JSON.stringify(first)) throw new ArchiveRefused('It was changed meanwhile.');
    return content;
  };
  let checked = 0;
  const { authenticated } = await readSame((_, { length }) => {
    checked += length;
    progress(checked, Math.max(checked, 3 * about));
  });
  const lock = lockPlace(store);
  try {
    const loader = await openPlace(store);
    try {
      const paused = { at: clock.now(), reason: `Restored from a backup of ${takenAt}.` };
      const finish = async (tx: Transaction): Promise<void> => {
        await setPaused(tx, paused);
        await setApart(tx);
      };
      const read = async (onRows: VisitRows) => {
        const visit: VisitRows = (table, rows) => {
          if (table.table === AUDIO.name) return recordings.add(rows);
          if (hasAudio && table.table === RECORDINGS) noteRecordings(known, table, rows);
          if (table.table === RECORDINGS) stored += countStored(table, rows);
          return onRows(table, rows);
        };
        const { tables } = await readSame(visit);
        // Finish the last recording before the commit, so that an error rolls everything back.
        restored = await recordings.end();
        return tables;
      };
      const target = { loader, finish };
      const onward: Progress = (done, total) => progress(checked + done, checked + total);
      const loaded = await fillDatabase(context, target, { migrations, about, read }, onward);
      const counts = { recordings: restored, withoutAudio: Math.max(0, stored - restored) };
      return { takenAt, migration: migrations.at(-1)?.id ?? '', authenticated, ...loaded, ...counts };
    } finally {
      await recordings.abandon();
      await loader.close();
    }
  } finally {
    lock.release();
  }
};
