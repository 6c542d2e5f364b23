import type { Readable } from 'node:stream';
import type { ByteRange } from '../../vault/index.ts';
import type { TelephonyContext } from '../context.ts';
import { audioPlace, recordingKey } from '../contract/recording-storage.ts';
import { recordingNotThere } from '../errors.ts';
import type { RecordingRow } from './recording-store.ts';

/** An archived recording with its metadata. */
export type ArchivedRecording = RecordingRow & { bytes: number; sha256: string };

export const toArchived = (row: RecordingRow): ArchivedRecording => {
  const { state, bytes, sha256 } = row;
  if (state !== 'archived' || bytes === null || sha256 === null) throw recordingNotThere();
  return { ...row, bytes, sha256 };
};

/** Opens a part of the audio. If the audio is sealed, it's unsealed while it is read. */
export const openAudio = async (
  { vault, storage }: TelephonyContext,
  recording: ArchivedRecording,
  range: ByteRange,
): Promise<Readable> => {
  const { teamId, id, bytes } = recording;
  const key = recordingKey(recording);
  if (recording.sealed !== 1) return storage.open(key, range);
  const source = { bytes, read: (part: ByteRange) => storage.open(key, part) };
  return vault.openRange(teamId, audioPlace(id), source, range);
};
