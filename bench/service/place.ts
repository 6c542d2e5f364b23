import { type App, buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { extendKeyRing } from '../../src/vault/index.ts';
import { findFreePort } from '../../test/harness/free-port.ts';
import { makeDirectory } from '../temporary-directory.ts';
import type { ServiceEnvironment } from './start-service.ts';

const ADMIN_TOKEN = 'admin-token-of-the-benchmark-0123456789';
export const CRON_SECRET = 'cron-secret-of-the-benchmark-0123456789';
export const DEBUG_TOKEN = 'debug-token-of-the-benchmark-0123456789';

export const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };

export type Settings = ServiceEnvironment & { PATCHBAY_KEYS: string; DATABASE_URL?: string };

/** Makes settings for a service with a new data directory, which is removed after the benchmark. */
export const makeSettings = async (
  databaseUrl: string | null,
  cleanUp: AsyncDisposableStack,
  more: Readonly<Record<string, string>> = {},
): Promise<Settings> => ({
  PATCHBAY_DATA: makeDirectory(cleanUp),
  PORT: String(await findFreePort()),
  PATCHBAY_KEYS: extendKeyRing(undefined),
  PATCHBAY_ADMIN_TOKEN: ADMIN_TOKEN,
  CRON_SECRET,
  DEBUG_TOKEN,
  // Raise the limit, because all requests come from the same caller.
  PATCHBAY_RATE_LIMIT: '10000000',
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  ...more,
});

/** Opens the database of a running service from this process, as commands do. */
export const openBeside = (settings: Settings, cleanUp: AsyncDisposableStack): App => {
  const app = buildApp(readConfig({ ...settings, LOG_LEVEL: 'silent' }));
  cleanUp.defer(() => app.close());
  return app;
};

export const count = async ({ database }: App, text: string, values: (string | number)[] = []): Promise<number> =>
  Number((await database.get<{ n: number }>(`select count(*) as n from ${text}`, values))?.n);
