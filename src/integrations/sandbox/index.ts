import { type Log, randomSecret, Secret } from '../../platform/index.ts';
import { createRecord } from './record.ts';
import { sandboxRoutes } from './sandbox-routes.ts';

/**
 * The sandbox: a real OAuth provider in our own process, so that a newcomer can connect, refresh and disconnect without
 * an account anywhere. Anyone may press "Allow" there, so it's not for production. What it issues is kept in memory,
 * and its only client gets a new secret at each start. So it serves one process, and a restart ends its connections.
 */
export const createSandbox = ({ url, log }: { url: string; log: Log }) => {
  const client = { clientId: 'patchbay', clientSecret: new Secret(randomSecret()) };
  return { ...client, record: createRecord(url), routes: sandboxRoutes({ ...client, url }, log) };
};

export type Sandbox = ReturnType<typeof createSandbox>;
