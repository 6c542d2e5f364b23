import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { type Clock, onFirstUse, openSnapshot, type Progress, type Store, toIso } from '../platform/index.ts';
import { createAuthenticationCode, type RingSource, type Vault } from '../vault/index.ts';
import { CODE_PURPOSE } from './archive.ts';
import { countRowsIn, listAppliedIn } from './archive-store.ts';
import { type AudioCount, type AudioSource, readAudio } from './archived-audio.ts';
import { listArchivedTables } from './archived-tables.ts';
import { findMigrations } from './find-migrations.ts';
import { type Printed, printArchive } from './print-archive.ts';
import { readArchive } from './read-archive.ts';
import { writeSteadily } from './write-steadily.ts';
import { writeWholeFile } from './write-whole-file.ts';

export type ArchiveContext = {
  clock: Clock;
  vault: Vault;
  rings: RingSource;
  store: Store;
  /** The recordings. Null for a backup without them. */
  audio: AudioSource | null;
};

export type BackedUp = Printed & {
  takenAt: string;
  migration: string;
  bytes: number;
  /** How many recordings there are. Null for a backup without them. */
  recordings: AudioCount | null;
};

const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};

/**
 * Writes a snapshot of the database to a file, and checks the file before it gets its final name. The database may have
 * the schema of an older version, so that a backup can be made before migrating.
 */
export const backUp = async (
  { clock, vault, rings, store, audio }: ArchiveContext,
  path: string,
  progress: Progress,
): Promise<BackedUp> => {
  // Check the keys now. When restoring, it would be too late to find out that one is missing.
  await vault.verifyRing();
  const ring = rings.current();
  const code = createAuthenticationCode(ring, CODE_PURPOSE);
  if (!code) throw new Error('The ring has no first key.');
  return writeWholeFile(
    path,
    async (file) => {
      const snapshot = await openSnapshot(store);
      const closeSnapshot = onFirstUse(snapshot.close);
      try {
        const takenAt = toIso(clock.now());
        const migrations = await listAppliedIn(snapshot);
        const archived = listArchivedTables(findMigrations(migrations));
        const total = await countRowsIn(snapshot, archived);
        const recordings = audio && { archived: 0, missing: 0 };
        // Recordings never change, so they don't need the snapshot. Close it first, because reading recordings may take
        // long.
        const readRecordings = async function* (source: AudioSource, count: AudioCount) {
          await closeSnapshot();
          yield* readAudio(source, count);
        };
        let printed: Printed = { tables: [], rows: 0 };
        const print = async function* () {
          const about = { takenAt, migrations, about: total };
          const rows = audio && recordings && readRecordings(audio, recordings);
          printed = yield* printArchive({ snapshot, about, archived, audio: rows, code }, (rows) =>
            progress(rows, Math.max(rows, total)),
          );
        };
        await pipeline(
          Readable.from(print(), { objectMode: true }),
          createZstdCompress(COMPRESSION),
          (compressed: AsyncIterable<Buffer>) => writeSteadily(file, compressed),
        );
        const { size: bytes } = await file.stat();
        return { ...printed, takenAt, migration: migrations.at(-1)?.id ?? '', bytes, recordings };
      } finally {
        await closeSnapshot();
      }
    },
    (part) => readArchive(part, { ring, unauthenticated: false }),
  );
};
