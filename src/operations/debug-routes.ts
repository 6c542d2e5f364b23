import type { FastifyRequest } from 'fastify';
import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import {
  type Clock,
  compareMigrations,
  type Database,
  type Log,
  type NewId,
  Type,
  toIsoOrNull,
  withinOrNull,
} from '../platform/index.ts';
import { actorOf, recordAudit } from '../teams/index.ts';

const PATIENCE_MS = 3_000;
const DIAGNOSIS_MS = 2_500;

type DebugContext = { database: Database; jobs: Pick<Jobs, 'count'>; clock: Clock; newId: NewId; log: Log };

const nullable = <T extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>>(type: T) =>
  Type.Union([type, Type.Null()]);
const Count = Type.Union([Type.Integer(), Type.Null()]);

const DatabaseState = Type.Object(
  {
    ok: Type.Boolean({ description: 'The database responds and its migrations are up to date' }),
    engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')]),
    version: nullable(Type.String()),
    roundTripMs: nullable(Type.Number()),
    clockSkewMs: nullable(Type.Number()),
    sizeBytes: Count,
    integrity: Type.Union([Type.Literal('ok'), Type.Literal('damaged'), Type.Literal('unchecked'), Type.Null()]),
    migrations: Type.Object({ applied: Count, expected: Count, pending: Count }),
    tables: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          rows: Type.Union([Type.Integer(), Type.Null()], { description: 'An estimate on PostgreSQL' }),
          bytes: Count,
        },
        { title: 'DatabaseTable' },
      ),
    ),
    pool: Type.Union([
      Type.Object({ size: Type.Integer(), idle: Type.Integer(), waiting: Type.Integer() }),
      Type.Null(),
    ]),
    jobs: Type.Object({ queued: Count, active: Count, failed: Count, oldestSeconds: nullable(Type.Number()) }),
    cron: Type.Object({ lastRunAt: nullable(Type.String({ format: 'date-time' })) }),
    backup: Type.Object(
      { lastAt: nullable(Type.String({ format: 'date-time' })), bytes: Count },
      { description: 'The newest scheduled backup that was completed' },
    ),
  },
  { title: 'DatabaseState' },
);

const NOTHING = {
  version: null,
  roundTripMs: null,
  clockSkewMs: null,
  sizeBytes: null,
  integrity: null,
  tables: [],
  pool: null,
};

type Latest = {
  /** When reports last ran. */
  getLastRunAt(): Promise<number | null>;
  /** The newest scheduled backup that was completed. */
  getLastBackup(): Promise<{ endedAt: number; bytes: number } | null>;
};

export const debugRoutes = (context: DebugContext, { getLastRunAt, getLastBackup }: Latest): Routes => {
  const { database, jobs, log } = context;

  /**
   * Records who made this request. Isn't awaited, because the response must come even if every database connection is
   * in use. If recording fails, logs it instead.
   */
  const noteRead = (request: FastifyRequest): void => {
    const actor = actorOf(request);
    recordAudit(context, database, null, actor, { action: 'debug.read' }).catch(() =>
      log.warn(
        { action: 'debug.read', address: actor.address, requestId: actor.requestId },
        'audited in the log because the database is unavailable',
      ),
    );
  };

  return (server) => {
    server.get(
      '/api/debug/db',
      {
        config: { access: { door: 'debug', whenUnset: 'hide' } },
        schema: {
          tags: ['operations'],
          summary: 'The state of the database',
          description:
            'Aggregates and estimates only, read over a separate connection within three seconds. A value that is not available in time is null. On PostgreSQL, row counts are estimates from table statistics, because an exact count would have to read the whole table.',
          response: { 200: DatabaseState },
        },
      },
      async (request) => {
        noteRead(request);
        const [diagnosis, counts, lastRunAt, lastBackup] = await Promise.all([
          withinOrNull(PATIENCE_MS, database.diagnose(DIAGNOSIS_MS)),
          withinOrNull(PATIENCE_MS, jobs.count()),
          withinOrNull(PATIENCE_MS, getLastRunAt()),
          withinOrNull(PATIENCE_MS, getLastBackup()),
        ]);
        const { migrations, ...seen } = diagnosis ?? { ...NOTHING, migrations: null };
        const state = migrations && compareMigrations(migrations);
        return {
          ok: state?.pending.length === 0 && seen.integrity !== 'damaged',
          engine: database.engine,
          ...seen,
          migrations: {
            applied: state?.applied ?? null,
            expected: state?.expected ?? null,
            pending: state?.pending.length ?? null,
          },
          jobs: counts ?? { queued: null, active: null, failed: null, oldestSeconds: null },
          cron: { lastRunAt: toIsoOrNull(lastRunAt ?? null) },
          backup: { lastAt: toIsoOrNull(lastBackup?.endedAt ?? null), bytes: lastBackup?.bytes ?? null },
        };
      },
    );
  };
};
