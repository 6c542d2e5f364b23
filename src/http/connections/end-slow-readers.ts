import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { PipeliningGuard } from './pipelining-guard.ts';

const LOOK_MS = 1_000;
/** How long a client may go without reading anything. */
const STALLED_MS = 60_000;
/** How many bytes may wait for all slow readers together. Bytes for other readers aren't limited. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A reader is slow if it takes longer than this to receive as much as is waiting for it. */
const SLOW_MS = 2_000;

/** A time, and how many bytes had been sent by then. */
type Mark = { sent: number; at: number };
/**
 * `moved`: when bytes were last sent. `caughtUp`: when bytes began to wait. Set again whenever the client has read as
 * much since then as is still waiting. Both are null while no bytes wait.
 */
type Reader = { moved: Mark | null; caughtUp: Mark | null };
type Waiting = { socket: Socket; bytes: number; stalledMs: number; behindMs: number; neededMs: number };

/**
 * `bytesWritten`: bytes passed to the system. `writeQueueSize`: how many of them it hasn't sent yet. There's no public
 * API for these, but Node's socket timeout reads them, too.
 */
type Handle = { _handle?: { bytesWritten: number; writeQueueSize: number } | null };

export type SlowReaderSettings = { lookMs?: number; stalledMs?: number; slowMs?: number; mostBytes?: number };

export type SlowReaders = {
  /** Since when the client is behind with reading. Null if no bytes wait for it, or not for long. */
  behindSince(socket: Socket): number | null;
  stop(): void;
};

/**
 * Ends connections that don't read their responses, because unread bytes are held in memory. Node's own time limits are
 * for clients that don't send. Reading a little now and then doesn't protect a client: the connection that would need
 * the longest to read its waiting bytes is ended first.
 */
export const endSlowReaders = (
  server: Server,
  { countBytesInLine }: Pick<PipeliningGuard, 'countBytesInLine'>,
  { lookMs = LOOK_MS, stalledMs = STALLED_MS, slowMs = SLOW_MS, mostBytes = MOST_BYTES }: SlowReaderSettings = {},
): SlowReaders => {
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { moved: null, caughtUp: null });
    socket.once('close', () => readers.delete(socket));
  });

  const readQueue = (socket: Socket): { bytes: number; sent: number } => {
    const { bytesWritten = 0, writeQueueSize = 0 } = (socket as Handle)._handle ?? {};
    // For text, `writableLength` counts characters, which may be fewer than the bytes in `writeQueueSize`.
    const bytes = Math.max(socket.writableLength, writeQueueSize) + countBytesInLine(socket);
    return { bytes, sent: bytesWritten - writeQueueSize };
  };

  const measure = (socket: Socket, reader: Reader, now: number): Waiting[] => {
    const { bytes, sent } = readQueue(socket);
    if (bytes === 0) {
      Object.assign(reader, { moved: null, caughtUp: null });
      return [];
    }
    if (sent !== reader.moved?.sent) reader.moved = { sent, at: now };
    if (!reader.caughtUp || sent - reader.caughtUp.sent >= bytes) reader.caughtUp = { sent, at: now };
    const behindMs = now - reader.caughtUp.at;
    const neededMs = (behindMs * bytes) / (sent - reader.caughtUp.sent + 1);
    return [{ socket, bytes, stalledMs: now - reader.moved.at, behindMs, neededMs }];
  };

  const look = (): void => {
    const now = performance.now();
    const slow = [...readers]
      .flatMap(([socket, reader]) => measure(socket, reader, now))
      .filter(({ behindMs }) => behindMs >= slowMs)
      .sort((one, other) => other.neededMs - one.neededMs);
    let held = slow.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { socket, bytes, stalledMs: ms } of slow) {
      if (ms < stalledMs && held <= mostBytes) continue;
      held -= bytes;
      socket.destroy();
    }
  };

  const timer = setInterval(look, lookMs).unref();
  return {
    behindSince(socket) {
      const at = readers.get(socket)?.caughtUp?.at ?? null;
      return at !== null && readQueue(socket).bytes > 0 ? at : null;
    },
    stop: () => clearInterval(timer),
  };
};
