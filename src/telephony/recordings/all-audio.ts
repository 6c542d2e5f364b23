import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Queries } from '../../platform/index.ts';
import { sealedBytes } from '../../vault/index.ts';
import { newIncomingFile } from '../audio/incoming-files.ts';
import type { TelephonyContext } from '../context.ts';
import { RecordingLost, type RecordingStorage, recordingKey } from '../contract/recording-storage.ts';
import { getNewestArchived, listArchivedAfter } from './recording-store.ts';

const PAGE = 500;

/** A recording as it's stored. `open` returns null if the audio was erased meanwhile, or is lost. */
type StoredAudio = { teamId: string; id: string; open(): Promise<Readable | null> };

const openStored = async (storage: RecordingStorage, key: string, length: number): Promise<Readable | null> => {
  try {
    return await storage.open(key, { start: 0, length });
  } catch (error) {
    if (error instanceof RecordingLost) return null;
    throw error;
  }
};

/** Reads every recording of every team, for a backup. */
export async function* readAllAudio({
  database,
  storage,
}: {
  database: Queries;
  storage: RecordingStorage;
}): AsyncGenerator<StoredAudio> {
  let after = '';
  for (;;) {
    const page = await listArchivedAfter(database, after, PAGE);
    for (const { teamId, id, bytes, sealed } of page) {
      const length = sealed === 1 ? sealedBytes(bytes) : bytes;
      yield { teamId, id, open: () => openStored(storage, recordingKey({ teamId, id }), length) };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Checks whether the audio of the newest recording is there. Returns null if there is no recording. */
export const hasNewestAudio = async ({
  database,
  storage,
}: {
  database: Queries;
  storage: RecordingStorage;
}): Promise<boolean | null> => {
  const newest = await getNewestArchived(database);
  if (!newest) return null;
  const length = newest.sealed === 1 ? sealedBytes(newest.bytes) : newest.bytes;
  const audio = await openStored(storage, recordingKey(newest), length);
  audio?.destroy();
  return audio !== null;
};

/** Stores recordings from a backup as they were stored before. Each is stored whole or not at all. */
export const createAudioWriter = ({
  storage,
  recordingsFolder,
}: Pick<TelephonyContext, 'storage' | 'recordingsFolder'>) => {
  let current: { key: string; path: string; file: FileHandle; digest: ReturnType<typeof createHash>; bytes: number };

  const close = async (): Promise<void> => {
    await current.file.close();
    await rm(current.path, { force: true });
  };

  return {
    async begin(recording: { teamId: string; id: string }): Promise<void> {
      const path = await newIncomingFile(recordingsFolder);
      const file = await open(path, 'wx', 0o600);
      current = { key: recordingKey(recording), path, file, digest: createHash('sha256'), bytes: 0 };
    },
    async write(piece: Buffer): Promise<void> {
      await current.file.writeFile(piece);
      current.digest.update(piece);
      current.bytes += piece.length;
    },
    async finish(): Promise<void> {
      const { key, path, file, digest, bytes } = current;
      try {
        await file.sync();
        await storage.put(key, { path, bytes, sha256: digest.digest('hex') });
      } finally {
        await close();
      }
    },
    abandon: close,
  };
};
