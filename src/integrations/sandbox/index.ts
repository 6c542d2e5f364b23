import { type Database, type Log, randomSecret, Secret } from '../../platform/index.ts';
import { createRecord } from './record.ts';
import { sandboxRoutes } from './sandbox-routes.ts';

/**
 * The sandbox: a real OAuth provider in our own process, so that a newcomer can connect, refresh and disconnect without
 * an account anywhere. Anyone may press "Allow" there, so it's not for production. Its grants and tokens are in the
 * database, so its connections outlast a restart. A connect that is under way ends with the process: until a code
 * is redeemed, everything about the connect is in memory. The only client gets a new secret at each start, so the sandbox serves one process.
 * `getDatabase` is called when the sandbox is first used.
 */
export const createSandbox = ({ url, log, getDatabase }: { url: string; log: Log; getDatabase(): Database }) => {
  const client = { clientId: 'patchbay', clientSecret: new Secret(randomSecret()) };
  const getContext = () => ({ log, database: getDatabase() });
  return { ...client, record: createRecord(url), routes: sandboxRoutes({ ...client, url }, getContext) };
};

export type Sandbox = ReturnType<typeof createSandbox>;
