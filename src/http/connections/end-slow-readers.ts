import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const LOOK_MS = 1_000;
/** How long a client may go without reading anything. */
const STALLED_MS = 60_000;
/** How much all unread responses may hold together. A single one may be larger. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Once that is reached, clients that have read nothing for this long make way for others. */
const SLOW_MS = 2_000;

type Reader = { queued: number; since: number };
type Waiting = { socket: Socket; bytes: number; stalledMs: number };

/**
 * The part of a write that the system hasn't taken yet. There's no public API for it; Node's own socket timeout reads
 * it, too.
 */
type Queued = { _handle?: { writeQueueSize?: number } | null };

export type SlowReaderSettings = { lookMs?: number; stalledMs?: number; slowMs?: number; mostBytes?: number };

/**
 * Ends connections that don't read their responses, because unread bytes are held in memory. Node's own time limits are
 * for clients that don't send.
 */
export const endSlowReaders = (
  server: Server,
  { lookMs = LOOK_MS, stalledMs = STALLED_MS, slowMs = SLOW_MS, mostBytes = MOST_BYTES }: SlowReaderSettings = {},
): { stop(): void } => {
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { queued: 0, since: performance.now() });
    socket.once('close', () => readers.delete(socket));
  });

  /** How much is waiting for it, and for how long none of that has gone out. */
  const measure = (socket: Socket, reader: Reader, now: number): Waiting => {
    const bytes = socket.writableLength;
    const queued = (socket as Queued)._handle?.writeQueueSize ?? bytes;
    if (bytes === 0 || queued !== reader.queued) Object.assign(reader, { queued, since: now });
    return { socket, bytes, stalledMs: now - reader.since };
  };

  const look = (): void => {
    const now = performance.now();
    const waiting = [...readers]
      .map(([socket, reader]) => measure(socket, reader, now))
      .filter(({ bytes }) => bytes > 0)
      .sort((one, other) => other.stalledMs - one.stalledMs);
    const slow = waiting.filter((reader) => reader.stalledMs >= slowMs);
    let held = slow.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { socket, bytes, stalledMs: ms } of slow) {
      if (ms < stalledMs && held <= mostBytes) break;
      held -= bytes;
      socket.destroy();
    }
  };

  const timer = setInterval(look, lookMs).unref();
  return { stop: () => clearInterval(timer) };
};
