import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresqlPair } from '../../test/harness/postgresql-pair.ts';

const LOOK_EVERY_MS = 500;
const TIMEOUT_MS = 1_000;
/** How many failures in a row count as an outage. A single one may be an accident. */
const FAILURES = 4;

const responds = async (url: string): Promise<boolean> => {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    client.end().catch(() => undefined);
  }
};

/** Plays the failover manager (Patroni, or a managed database): promotes the standby if the primary stays silent. */
export const manageFailover = (pair: PostgresqlPair) => {
  let stopped = false;
  const run = async (): Promise<number | null> => {
    for (let failures = 0; !stopped; ) {
      failures = (await responds(pair.primary.url)) ? 0 : failures + 1;
      if (failures === FAILURES) {
        await pair.promote();
        return performance.now();
      }
      await sleep(LOOK_EVERY_MS);
    }
    return null;
  };
  const promotedAt = run();
  return {
    promotedAt,
    stop(): void {
      stopped = true;
    },
  };
};
