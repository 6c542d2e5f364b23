import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../platform/index.ts';
import { type AuditActor, createAuditLog } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { completeParams, findProvider } from './begin-connect.ts';
import { createBindingCookie } from './binding-cookie.ts';
import { callbackRoutes } from './callback-routes.ts';
import type { Catalogue } from './catalogue.ts';
import { createClients, type OperatorClient } from './clients.ts';
import { connectRoutes } from './connect-routes.ts';
import { disconnect } from './disconnect.ts';
import { createDiscovery } from './discover-provider.ts';
import { getSetUp } from './get-set-up.ts';
import type { Values } from './placeholders.ts';
import { listProviders } from './provider-list.ts';
import { handlePruneAttempts, PRUNE_ATTEMPTS_EVERY_MS, pruneAttempts } from './prune-attempts.job.ts';
import { deleteOwnCredentials, type OwnClient, putOwnCredentials } from './put-credentials.ts';
import { createRefresher } from './refresh-connection.ts';
import { handleRefreshDue, REFRESH_EVERY_MS, refreshDue } from './refresh-due.job.ts';
import { handleRevokeGrant, revokeGrant } from './revoke-grant.job.ts';
import { integrationRoutes } from './routes.ts';
import { createStatusBoard, getStatus, listConnected } from './status.ts';

export type IntegrationsDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  outbound: Outbound;
  url: string;
  returnOrigins: readonly string[];
  catalogue: Catalogue;
  operatorClients: ReadonlyMap<string, OperatorClient>;
};

/** Puts the room together: binds its jobs, and answers its routes and what the pages need. */
export const createIntegrations = (dependencies: IntegrationsDependencies) => {
  const { jobs, url } = dependencies;
  const clients = createClients(dependencies);
  const discover = createDiscovery(dependencies);
  const board = createStatusBoard({ ...dependencies, clients });
  const basis = { ...dependencies, clients, discover, forgetStatus: board.forget };
  const refresher = createRefresher(basis);
  const cookie = createBindingCookie(url);

  const sweep = handleRefreshDue({ ...basis, refresher });
  jobs.handle(refreshDue, sweep);
  jobs.every(refreshDue, { everyMs: REFRESH_EVERY_MS });
  jobs.handle(revokeGrant, handleRevokeGrant(basis));
  jobs.handle(pruneAttempts, handlePruneAttempts(basis));
  jobs.every(pruneAttempts, { everyMs: PRUNE_ATTEMPTS_EVERY_MS });

  const routes: readonly Routes[] = [
    connectRoutes({ ...basis, cookie }),
    callbackRoutes({ ...basis, cookie }),
    integrationRoutes({ ...basis, refresher, board, audit: createAuditLog(dependencies) }),
  ];
  return {
    routes,
    /** What the background does by itself: refresh everything that is due. */
    refreshDue: sweep,
    /** For the pages: the same as the routes answer. */
    getStatus: (teamId: string) => getStatus({ ...dependencies, clients }, teamId),
    listConnected: (teamId: string) => listConnected(dependencies, teamId),
    listProviders: (teamId: string) => listProviders(basis, teamId),
    getSetUp: (teamId: string, provider: string) => getSetUp(basis, teamId, provider),
    /** Refuses params with which no connect could begin. */
    checkParams: (provider: string, params: Values) =>
      void completeParams(findProvider(dependencies.catalogue, provider).record, params),
    putCredentials: (
      ...what: [who: { teamId: string; userId: string }, provider: string, client: OwnClient, actor: AuditActor]
    ) => putOwnCredentials(basis, ...what),
    deleteCredentials: (...what: [teamId: string, provider: string, actor: AuditActor]) =>
      deleteOwnCredentials(basis, ...what),
    disconnect: (...what: [teamId: string, provider: string, actor: AuditActor]) => disconnect(basis, ...what),
  };
};

export type Integrations = ReturnType<typeof createIntegrations>;
