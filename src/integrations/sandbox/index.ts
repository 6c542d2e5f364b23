import type { Routes } from '../../http/index.ts';
import { type Log, randomSecret, Secret } from '../../platform/index.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { createRecord } from './record.ts';
import { sandboxRoutes } from './routes.ts';

export type Sandbox = { record: FullRecord; clientId: string; clientSecret: Secret; routes: Routes };

/**
 * The sandbox: a real OAuth provider in our own process, so that a newcomer can connect, refresh and disconnect without
 * an account anywhere. Anyone may say "Allow" there, so it is not for production. What it issues is kept in memory, and
 * the secret of its only client is made anew with each start: it serves one process, and a restart ends its connections.
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
