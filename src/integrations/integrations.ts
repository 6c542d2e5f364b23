import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../platform/index.ts';
import { type AuditActor, createAuditLog } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { findProvider } from './catalogue/find-provider.ts';
import type { Values } from './catalogue/placeholders.ts';
import { completeParams } from './catalogue/provider-params.ts';
import { createClients, type OperatorClient } from './clients/clients.ts';
import { createBindingCookie } from './connect/binding-cookie.ts';
import { callbackRoutes } from './connect/callback-routes.ts';
import { connectRoutes } from './connect/connect-routes.ts';
import { handlePruneAttempts, PRUNE_ATTEMPTS_EVERY_MS, pruneAttempts } from './connect/prune-attempts.job.ts';
import { disconnect } from './connections/disconnect.ts';
import { createRefresher } from './connections/refresh-connection.ts';
import { handleRefreshDue, REFRESH_EVERY_MS, refreshDue } from './connections/refresh-due.job.ts';
import { handleRevokeGrant, revokeGrant } from './connections/revoke-grant.job.ts';
import { createStatusBoard, getStatus, listConnected } from './connections/status.ts';
import { createDiscovery } from './requests/discover-provider.ts';
import { integrationRoutes } from './routes.ts';
import { getSetUp } from './set-up/get-set-up.ts';
import { listProviders } from './set-up/provider-list.ts';
import { deleteOwnCredentials, type OwnClient, putOwnCredentials } from './set-up/put-credentials.ts';

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

/** Builds the room: binds its jobs, and returns its routes and what the pages need. */
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
    /** What the background job does: refresh everything that is due. */
    refreshDue: sweep,
    /** For the pages: the same as the routes return. */
    getStatus: (teamId: string) => getStatus({ ...dependencies, clients }, teamId),
    listConnected: (teamId: string) => listConnected(dependencies, teamId),
    listProviders: (teamId: string) => listProviders(basis, teamId),
    getSetUp: (teamId: string, provider: string) => getSetUp(basis, teamId, provider),
    /** Refuses params that no connect could start with. */
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
