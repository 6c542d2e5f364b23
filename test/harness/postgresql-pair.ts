import pg from 'pg';
import { databaseUrl } from './databases.ts';
import { startPostgresqlServer } from './postgresql-server.ts';
import { waitUntil } from './wait-until.ts';

const askAt = async <Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** A primary and a standby that confirms every commit (`synchronous_commit` is on, so it's on the standby's disk, too). */
export const startPostgresqlPair = async ({ fsync = true } = {}) => {
  const primary = await startPostgresqlServer({ fsync });
  await primary.stopInOrder();
  const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
  const [standby] = await Promise.all([
    startPostgresqlServer({ fsync, copyOf: primary.data, settings: [`primary_conninfo=${conninfo}`] }),
    primary.start(['synchronous_standby_names=standby']),
  ]);
  const isStreaming = async (): Promise<boolean> => {
    const rows = await askAt<{ sync_state: string }>(primary.url, 'select sync_state from pg_stat_replication');
    return rows[0]?.sync_state === 'sync';
  };
  await waitUntil('the standby confirms commits', isStreaming);

  return {
    primary,
    standby,
    /** As libpq takes it. Starts with the standby, so that the first one isn't the right one by accident. */
    urlOf: (database: string): string => {
      const url = new URL(databaseUrl(primary.url, database));
      return url.href.replace(url.host, `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`);
    },
    /** What a failover manager does once it's certain that the primary is gone. */
    promote: () => askAt(standby.url, 'select pg_promote()'),
    async remove(): Promise<void> {
      // The primary would wait for the standby.
      await primary.stopAtOnce();
      await Promise.all([primary.remove(), standby.remove()]);
    },
  };
};

export type PostgresqlPair = Awaited<ReturnType<typeof startPostgresqlPair>>;
