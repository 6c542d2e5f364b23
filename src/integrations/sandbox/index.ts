import type { Routes } from '../../http/index.ts';
import { type Log, randomSecret, Secret } from '../../platform/index.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { createRecord } from './record.ts';
import { sandboxRoutes } from './routes.ts';

export type Sandbox = { record: FullRecord; clientId: string; clientSecret: Secret; routes: Routes };

/**
 * The sandbox: a real OAuth provider in our own process, so that a newcomer can connect, refresh and disconnect without
 * an account anywhere. Anyone may press "Allow" there, so it's not for production. What it issues is kept in memory,
 * and its only client gets a new secret at each start. So it serves one process, and a restart ends its connections.
 */
export const createSandbox = ({ url, log }: { url: string; log: Log }): Sandbox => {
  const client = { url, clientId: 'patchbay', clientSecret: new Secret(randomSecret()) };
  return {
    record: createRecord(url),
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    routes: sandboxRoutes({ ...client, log }),
  };
};
