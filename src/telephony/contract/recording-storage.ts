import type { Readable } from 'node:stream';
import type { ByteRange } from '../../vault/index.ts';

/** A complete file on disk with its own size and digest; sealed if recordings are. */
export type StoredFile = { path: string; bytes: number; sha256: string };

/**
 * Where the audio is kept: files in the data directory, or a bucket. What is put is there whole or not at all, and what
 * was put before under the same key is replaced. The file may be gone afterward.
 */
export type RecordingStorage = {
  put(key: string, file: StoredFile, signal?: AbortSignal): Promise<void>;
  /** Throws RecordingLost if there is nothing, or less than requested. */
  open(key: string, range: ByteRange): Promise<Readable>;
  /** Also succeeds if there is nothing. */
  remove(key: string): Promise<void>;
  /** Removes whatever is left under the team's id, after all its recordings were removed. */
  forgetTeam(teamId: string): Promise<void>;
};

/** The row says the audio is there, but it isn't: someone removed it behind our back. */
export class RecordingLost extends Error {
  override readonly name = 'RecordingLost';
}

/** The storage didn't do what it was asked to. */
export class StorageFailed extends Error {
  override readonly name = 'StorageFailed';
}

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const KEY = new RegExp(`^${ID}/${ID}$`);
const BARE_ID = new RegExp(`^${ID}$`);

/** Made of our own ids and nothing else. */
export const recordingKey = ({ teamId, id }: { teamId: string; id: string }): string => `${teamId}/${id}`;

/** No other key becomes a path or URL, wherever it came from. */
export const checkStorageKey = (key: string): string => {
  if (!KEY.test(key)) throw new TypeError('A recording is kept under the ids of its team and itself.');
  return key;
};

/** The same for what is kept of one team. */
export const checkId = (teamId: string): string => {
  if (!BARE_ID.test(teamId)) throw new TypeError('Recordings are kept under the id of their team.');
  return teamId;
};

/** What a sealed recording is bound to. */
export const audioPlace = (id: string) => ({ record: `recordings/${id}`, field: 'audio' });
