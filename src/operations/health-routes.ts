import type { Routes } from '../http/index.ts';
import { type Database, getMigrationState, Refusal, readMigrations, Type, withinOrNull } from '../platform/index.ts';

const PATIENCE_MS = 3_000;

const notReady = (reason: string) =>
  new Refusal(503, 'operations.not_ready', reason, { headers: { 'retry-after': '2' } });

export const healthRoutes =
  ({ database }: { database: Database }): Routes =>
  (server) => {
    const migrations = readMigrations();

    server.get(
      '/healthz',
      {
        config: { access: 'anyone' },
        exposeHeadRoute: true,
        schema: {
          tags: ['operations'],
          summary: 'The process is alive',
          response: { 200: Type.Object({ status: Type.Literal('ok') }) },
        },
      },
      () => ({ status: 'ok' as const }),
    );

    server.get(
      '/readyz',
      {
        config: { access: 'anyone' },
        exposeHeadRoute: true,
        schema: {
          tags: ['operations'],
          summary: 'The database is reachable and its migrations are up to date',
          response: { 200: Type.Object({ status: Type.Literal('ready'), migrations: Type.Integer() }) },
        },
      },
      async () => {
        const state = await withinOrNull(PATIENCE_MS, getMigrationState(database, migrations));
        if (!state) throw notReady('The database could not be reached.');
        if (state.pending.length > 0) throw notReady(`${state.pending.length} migrations are pending.`);
        if (!server.isOpen()) throw notReady('The service is starting.');
        return { status: 'ready' as const, migrations: state.applied };
      },
    );
  };
