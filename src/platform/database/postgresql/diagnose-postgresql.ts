import type { Diagnosis } from '../database.ts';
import type { ConnectionOptions } from './postgresql-options.ts';
import { translatePostgresqlError } from './translate-postgresql-error.ts';

/** Diagnoses over a separate connection. Row counts are the planner's estimates: counting would read whole tables. */
export const diagnosePostgresql = async (options: ConnectionOptions, pool: Diagnosis['pool']): Promise<Diagnosis> => {
  const client = new options.Client({ ...options, application_name: 'patchbay debug' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin transaction read only');
    const before = performance.now();
    const { rows: clock } = await client.query(
      "select current_setting('server_version') as version, cast(extract(epoch from clock_timestamp()) * 1000 as float8) as now",
    );
    const roundTripMs = performance.now() - before;
    const clockSkewMs = Math.round(clock[0].now - (Date.now() - roundTripMs / 2));
    const { rows: database } = await client.query(
      `select pg_database_size(current_database()) as bytes, current_setting('data_checksums') as checksums,
              (select checksum_failures from pg_stat_database where datname = current_database()) as failures`,
    );
    const { rows: tables } = await client.query(
      `select c.relname as name, greatest(s.n_live_tup, cast(c.reltuples as bigint), 0) as rows, pg_total_relation_size(c.oid) as bytes
         from pg_class c join pg_stat_user_tables s on s.relid = c.oid
        where s.schemaname = current_schema() order by c.relname`,
    );
    const known = tables.some(({ name }) => name === 'schema_migrations');
    const { rows: migrations } = known
      ? await client.query('select id, digest from schema_migrations order by id')
      : { rows: [] };
    const { bytes, checksums, failures } = database[0];
    return {
      version: clock[0].version,
      roundTripMs,
      clockSkewMs,
      sizeBytes: bytes,
      integrity: checksums !== 'on' ? 'unchecked' : Number(failures ?? 0) === 0 ? 'ok' : 'damaged',
      tables,
      pool,
      migrations,
    };
  } catch (error) {
    throw translatePostgresqlError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
};
