import type { Readable } from 'node:stream';
import type { ScannedRow } from '../platform/index.ts';
import { ArchiveRefused } from './archive.ts';

/** A recording as it's stored, encrypted or not. `open` returns null if its audio is gone. */
type StoredAudio = { teamId: string; id: string; open(): Promise<Readable | null> };

/** Lists all recordings. */
export type AudioSource = () => AsyncIterable<StoredAudio>;

/** Stores recordings, one after the other, piece by piece. */
export type AudioTarget = {
  begin(recording: { teamId: string; id: string }): Promise<void>;
  write(piece: Buffer): Promise<void>;
  /** Call this when the recording is complete. */
  finish(): Promise<void>;
  /** Call this if the recording will never be complete. */
  abandon(): Promise<void>;
};

/** The pieces of all recordings come after the database's tables, as rows of a table that only backups have. */
export const AUDIO = { name: 'recording_audio', columns: ['team_id', 'id', 'position', 'audio'] };

const PIECE_BYTES = 192 * 1024;

/** Cuts content into pieces of exactly `PIECE_BYTES`, except the last. There is always at least one piece. */
async function* inPieces(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let isEmpty = true;
  for await (const chunk of content) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < PIECE_BYTES) continue;
    const whole = Buffer.concat(waiting);
    const end = bytes - (bytes % PIECE_BYTES);
    for (let at = 0; at < end; at += PIECE_BYTES) yield whole.subarray(at, at + PIECE_BYTES);
    isEmpty = false;
    waiting = end < bytes ? [whole.subarray(end)] : [];
    bytes -= end;
  }
  if (isEmpty || bytes > 0) yield Buffer.concat(waiting);
}

export type AudioCount = { archived: number; missing: number };

/** Reads the rows of all recordings. Adds up in `count` how many there are, and how many have lost their audio. */
export async function* readAudio(source: AudioSource, count: AudioCount): AsyncGenerator<ScannedRow[]> {
  for await (const { teamId, id, open } of source()) {
    const content = await open();
    if (!content) {
      count.missing++;
      continue;
    }
    let position = 0;
    for await (const piece of inPieces(content)) yield [[teamId, id, position++, piece.toString('base64')]];
    count.archived++;
  }
}

const ID = /^[0-9a-f-]{36}$/;

const readPiece = ([teamId, id, position, audio, ...others]: ScannedRow) => {
  const isPiece = ID.test(String(teamId)) && ID.test(String(id)) && typeof audio === 'string' && others.length === 0;
  if (!isPiece) throw new ArchiveRefused('A recording in the backup has no valid id or content.');
  return { teamId: String(teamId), id: String(id), position, audio };
};

/**
 * Passes recordings to the target, in the order of the backup. A backup reads audio after its snapshot of the database,
 * so a recording made in between has audio, but no row. That audio is left out: without a row, nobody could erase it.
 */
export const createAudioRestorer = (
  target: AudioTarget,
  hasRow: (recording: { teamId: string; id: string }) => boolean,
) => {
  let open: { key: string; position: number } | null = null;
  let restored = 0;

  const finish = async (): Promise<void> => {
    if (!open) return;
    await target.finish();
    open = null;
    restored++;
  };

  return {
    async add(rows: readonly ScannedRow[]): Promise<void> {
      for (const { teamId, id, position, audio } of rows.map(readPiece)) {
        if (!hasRow({ teamId, id })) continue;
        const key = `${teamId}/${id}`;
        if (open?.key !== key) {
          await finish();
          await target.begin({ teamId, id });
          open = { key, position: 0 };
        }
        if (position !== open.position) throw new ArchiveRefused('A recording in the backup is not in order.');
        open.position++;
        await target.write(Buffer.from(audio, 'base64'));
      }
    },
    /** Call this when all rows were read and compared. Returns how many recordings there were. */
    async end(): Promise<number> {
      await finish();
      return restored;
    },
    async abandon(): Promise<void> {
      if (open) await target.abandon();
    },
  };
};
