import type { buildConnector, Pool } from 'undici';
import { onFirstUse } from '../running/on-first-use.ts';
import { type Dial, openSocket } from './open-socket.ts';
import { OutboundFailed, toOutboundFailed } from './outbound-failed.ts';
import { hostOf } from './parse-url.ts';

const CONNECT_MS = 10_000;
/** How long an unused connection is kept. */
const IDLE_MS = 15_000;
const SWEEP_MS = 30_000;
const MOST_HEADER_BYTES = 64 * 1024;

/** Connects to the IP addresses that were checked, even if the host resolves to other addresses by now. */
const connectTo =
  (dial: Dial, origin: URL, addresses: readonly string[]): buildConnector.connector =>
  (_options, done) => {
    const limit = new AbortController();
    const host = hostOf(origin);
    const timer = setTimeout(() => limit.abort(new OutboundFailed('timeout', host)), CONNECT_MS);
    openSocket({ dial }, origin, addresses, limit.signal)
      .finally(() => clearTimeout(timer))
      .then(
        (socket) => done(null, socket),
        (error: Error) => done(toOutboundFailed(error, host, limit.signal), null),
      );
  };

/**
 * Keeps connections open for later requests. A connection is only reused by the same owner, and only while the host has
 * exactly the IP addresses that were checked. So it's as safe as a new connection.
 */
export const createKeptConnections = (dial: Dial) => {
  const pools = new Map<string, Pool>();
  const idle = new Set<string>();
  const loadUndici = onFirstUse(() => import('undici'));

  /** Closes pools that haven't been used since the last sweep. */
  const sweep = (): void => {
    for (const [key, pool] of pools) {
      if (!idle.has(key) || pool.stats.running + pool.stats.pending > 0) continue;
      pools.delete(key);
      void pool.close();
    }
    idle.clear();
    for (const key of pools.keys()) idle.add(key);
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();

  return {
    async poolFor(owner: string, origin: URL, addresses: readonly string[]): Promise<Pool> {
      const key = [owner, origin.origin, ...addresses].join(' ');
      const undici = await loadUndici();
      const pool =
        pools.get(key) ??
        new undici.Pool(origin.origin, {
          connect: connectTo(dial, origin, addresses),
          allowH2: false,
          pipelining: 1,
          maxHeaderSize: MOST_HEADER_BYTES,
          keepAliveTimeout: IDLE_MS,
          keepAliveMaxTimeout: IDLE_MS,
        });
      pools.set(key, pool);
      idle.delete(key);
      return pool;
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
};
