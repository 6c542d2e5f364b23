import { type Database, type Log, randomSecret, Secret } from '../../platform/index.ts';
import { createRecord } from './record.ts';
import { sandboxRoutes } from './sandbox-routes.ts';

/**
 * The sandbox: a real OAuth provider in our own process, so that a newcomer can connect, refresh and disconnect without
 * an account anywhere. Not for production, because anyone can press "Allow". Grants and tokens are stored in the
 * database, so connections survive a restart. A connect in progress doesn't, because everything before the first token
 * is in memory. The client gets a new secret at each start, so only one process can use the sandbox. `getDatabase` is
 * called when the sandbox is first used.
 */
export const createSandbox = ({ url, log, getDatabase }: { url: string; log: Log; getDatabase(): Database }) => {
  const client = { clientId: 'patchbay', clientSecret: new Secret(randomSecret()) };
  const getContext = () => ({ log, database: getDatabase() });
  return { ...client, record: createRecord(url), routes: sandboxRoutes({ ...client, url }, getContext) };
};

export type Sandbox = ReturnType<typeof createSandbox>;
