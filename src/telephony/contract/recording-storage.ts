import type { Readable } from 'node:stream';
import type { ByteRange } from '../../vault/index.ts';

/** A complete file on disk, with its size and digest. If recordings are sealed, this is the sealed file. */
export type StoredFile = { path: string; bytes: number; sha256: string };

/**
 * Stores audio as files in the data directory, or in a bucket. `put` stores a file whole or not at all, and replaces an
 * earlier one with the same key. The source file may be gone afterward.
 */
export type RecordingStorage = {
  put(key: string, file: StoredFile, signal?: AbortSignal): Promise<void>;
  /** Throws RecordingLost if there is no audio, or less than requested. */
  open(key: string, range: ByteRange): Promise<Readable>;
  /** Succeeds even if there is no audio. */
  remove(key: string): Promise<void>;
  /** Removes everything left under the team's id, after all its recordings were removed. */
  forgetTeam(teamId: string): Promise<void>;
};

/** The audio of an archived recording is missing: someone removed it outside of Patchbay. */
export class RecordingLost extends Error {
  override readonly name = 'RecordingLost';
}

/** The storage responded, but didn't do what it was asked to. */
export class StorageFailed extends Error {
  override readonly name = 'StorageFailed';
}

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const KEY = new RegExp(`^${ID}/${ID}$`);
const BARE_ID = new RegExp(`^${ID}$`);

/** Makes the storage key of a recording, only from our own ids. */
export const recordingKey = ({ teamId, id }: { teamId: string; id: string }): string => `${teamId}/${id}`;

/** Refuses a key that isn't made of two ids, so that nothing else becomes a path or URL. */
export const checkStorageKey = (key: string): string => {
  if (!KEY.test(key)) throw new TypeError('A recording is kept under the ids of its team and itself.');
  return key;
};

/** Refuses a team id that isn't an id, so that nothing else becomes a path. */
export const checkId = (teamId: string): string => {
  if (!BARE_ID.test(teamId)) throw new TypeError('Recordings are kept under the id of their team.');
  return teamId;
};

/** The record and field that a sealed recording is bound to, so that it can't pass for another recording. */
export const audioPlace = (id: string) => ({ record: `recordings/${id}`, field: 'audio' });
