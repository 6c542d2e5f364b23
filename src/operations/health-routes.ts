import type { Routes } from '../http/index.ts';
import {
  type Database,
  getMigrationState,
  isDiskFull,
  OWN,
  type Pause,
  Refusal,
  readMigrations,
  Type,
  withinOrNull,
  workFor,
} from '../platform/index.ts';
import { RingIncomplete, type Vault } from '../vault/index.ts';

const PATIENCE_MS = 3_000;

const notReady = (reason: string) =>
  new Refusal(503, 'operations.not_ready', reason, { headers: { 'retry-after': '2' } });

type State = Awaited<ReturnType<typeof getMigrationState>> & { hasKeys: boolean };

const hasKeys = async (vault: Pick<Vault, 'verifyOldest'>): Promise<boolean> => {
  try {
    await vault.verifyOldest();
    return true;
  } catch (error) {
    if (error instanceof RingIncomplete) return false;
    throw error;
  }
};

/**
 * Reads the state for `/readyz`, which anyone can request. Runs under the service's own quota: if a flood of other
 * requests delayed it, the process would be taken out of service. Concurrent requests share one result. Null if the
 * database doesn't respond in time.
 */
const createLook = ({ database, vault }: Pick<HealthContext, 'database' | 'vault'>) => {
  const migrations = readMigrations();
  let looking: Promise<State | null> | null = null;
  const look = () =>
    workFor(OWN, async () => {
      const state = await getMigrationState(database, migrations);
      return { ...state, hasKeys: state.pending.length > 0 || (await hasKeys(vault)) };
    });
  return (): Promise<State | null> => {
    looking ??= withinOrNull(PATIENCE_MS, look()).finally(() => {
      looking = null;
    });
    return looking;
  };
};

type HealthContext = {
  database: Database;
  pause: Pick<Pause, 'read'>;
  vault: Pick<Vault, 'verifyOldest'>;
  data: string;
};

export const healthRoutes =
  ({ database, pause, vault, data }: HealthContext): Routes =>
  (server) => {
    const look = createLook({ database, vault });

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
          response: {
            200: Type.Object({
              status: Type.Literal('ready'),
              migrations: Type.Integer(),
              paused: Type.Boolean({
                description:
                  'Whether an operator has paused the service: it serves and shows everything, but contacts nobody',
              }),
            }),
          },
        },
      },
      async () => {
        const state = await look();
        if (!state) throw notReady('The database could not be reached.');
        if (state.pending.length > 0) throw notReady(`${state.pending.length} migrations are pending.`);
        if (!state.hasKeys)
          throw notReady('PATCHBAY_KEYS of this process lacks a key that the database needs. Add it and restart.');
        if (database.engine === 'sqlite' && isDiskFull(data))
          throw notReady('The disk is full, so nothing can be written.');
        if (!server.isOpen()) throw notReady('The service is starting.');
        return { status: 'ready' as const, migrations: state.applied, paused: (await pause.read()) !== null };
      },
    );
  };
