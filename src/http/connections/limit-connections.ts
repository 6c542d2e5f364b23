import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { readOpenFileLimit } from '../../platform/index.ts';
import type { SlowReaders } from './end-slow-readers.ts';
import type { PipeliningGuard } from './pipelining-guard.ts';

/** The share of all connections that one IP address may have. */
const SHARE_OF_ADDRESS = 1 / 4;
/** The share of connections that is ended at once, so that not every new connection has to search all others. */
const SHARE_ENDED = 1 / 16;
/** How long a client may be behind with reading before its connection may be ended. */
const READING_MS = 1_000;

type Connection = { socket: Socket; address: string | null; openedAt: number };
type Waiting = { connection: Connection; since: number };

type ConnectionLimits = {
  most: number;
  /** The key by which connections are counted. Null if they aren't limited, such as those of a proxy. */
  addressOf(remoteAddress: string | undefined): string | null;
  lastOn: PipeliningGuard['lastOn'];
  behindSince: SlowReaders['behindSince'];
  readingMs?: number;
  /** Called for every new connection while there are too many. */
  onFull(): void;
};

/** Limits connections to half of the open files, because a request may need a file or another connection. */
export const capConnections = (wanted: number, openFiles = readOpenFileLimit()): number =>
  Math.min(wanted, Math.floor(openFiles / 2));

/**
 * Limits how many connections are open, in total and per IP address, so that there are always files left for the
 * database, recordings, and outgoing requests.
 *
 * Nobody can keep others out by holding connections. If there are too many, those that have waited longest for their
 * client are ended, whether the client has sent nothing or half a request, or doesn't read the response. Idle
 * connections aren't ended first, because every connection is idle before its first request. A new connection is
 * refused only if all others wait for a response from us.
 */
export const limitConnections = (
  server: Server,
  { most, addressOf, lastOn, behindSince, readingMs = READING_MS, onFull }: ConnectionLimits,
): void => {
  const all = new Set<Connection>();
  const byAddress = new Map<string | null, Set<Connection>>();

  const join = (connection: Connection): void => {
    const ofAddress = byAddress.get(connection.address) ?? new Set();
    byAddress.set(connection.address, ofAddress.add(connection));
    all.add(connection);
  };

  const leave = (connection: Connection): void => {
    const ofAddress = byAddress.get(connection.address);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) byAddress.delete(connection.address);
    all.delete(connection);
  };

  /** Since when the connection waits for its client. Empty while a request is being answered and the client reads. */
  const waitOf = (connection: Connection): Waiting[] => {
    const { last, at } = lastOn(connection.socket) ?? { last: null, at: connection.openedAt };
    if (last === null || last.writableFinished || !last.req.complete) return [{ connection, since: at }];
    const since = Math.max(at, behindSince(connection.socket) ?? Number.POSITIVE_INFINITY);
    return performance.now() - since >= readingMs ? [{ connection, since }] : [];
  };

  /** Ends connections to make room for another. False if all of them wait for a response from us. */
  const makeRoom = (among: ReadonlySet<Connection>, limit: number): boolean => {
    if (among.size < limit) return true;
    const waiting = [...among].flatMap(waitOf).sort((one, other) => one.since - other.since);
    const count = Math.ceil(Math.min(limit * SHARE_ENDED, waiting.length / 2));
    for (const { connection } of waiting.slice(0, count)) {
      leave(connection);
      connection.socket.destroy();
    }
    return count > 0;
  };

  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress);
    const ofAddress = address === null ? undefined : byAddress.get(address);
    if (all.size >= most) onFull();
    const hasRoom = (!ofAddress || makeRoom(ofAddress, Math.ceil(most * SHARE_OF_ADDRESS))) && makeRoom(all, most);
    if (!hasRoom) return void socket.destroy();
    const connection = { socket, address, openedAt: performance.now() };
    join(connection);
    socket.once('close', () => leave(connection));
  });
};
