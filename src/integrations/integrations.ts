import type { Routes } from '../http/index.ts';
import type { ConnectSessions } from '../teams/index.ts';
import type { IntegrationsContext } from './catalogue/context.ts';
import { createClients } from './clients/clients.ts';
import { callbackRoutes } from './connect/callback-routes.ts';
import { connectRoutes } from './connect/connect-routes.ts';
import { handlePruneAttempts, PRUNE_ATTEMPTS_EVERY_MS, pruneAttempts } from './connect/prune-attempts.job.ts';
import { REFRESH_EVERY_MS, refreshDue } from './connections/refresh-due.job.ts';
import { handleRevokeGrant, revokeGrant } from './connections/revoke-grant.job.ts';
import { createStatusBoard } from './connections/status.ts';
import { createTeamEraser } from './erase-team.ts';
import type { BrandSettings } from './hosted/brand.ts';
import { createProduct } from './hosted/create-product.ts';
import { hostedRoutes } from './hosted/hosted-routes.ts';
import { integrationRoutes } from './integration-routes.ts';
import { createDiscovery } from './requests/discovery.ts';
import { createUseCases } from './use-cases.ts';

/** Builds the room: binds its jobs, and returns its routes and the use cases that pages and reports share with them. */
export const createIntegrations = (
  given: Omit<IntegrationsContext, 'clients' | 'discover' | 'forgetStatus'>,
  { sessions, brand }: { sessions: ConnectSessions; brand: BrandSettings },
) => {
  const basis = { ...given, clients: createClients(given), discover: createDiscovery(given) };
  const board = createStatusBoard(basis);
  const context: IntegrationsContext = { ...basis, forgetStatus: board.forget };
  const useCases = createUseCases(context);

  const { jobs } = context;
  jobs.handle(refreshDue, useCases.refreshDue);
  jobs.every(refreshDue, { everyMs: REFRESH_EVERY_MS });
  jobs.handle(revokeGrant, handleRevokeGrant(context));
  jobs.handle(pruneAttempts, handlePruneAttempts(context));
  jobs.every(pruneAttempts, { everyMs: PRUNE_ATTEMPTS_EVERY_MS });

  const product = createProduct(context, sessions, brand);
  const routes: readonly Routes[] = [
    connectRoutes(context, product),
    callbackRoutes(context, product),
    integrationRoutes(useCases, board.bytesOf),
    hostedRoutes(context, { sessions, product, settings: brand }),
  ];
  return { ...useCases, routes, eraser: createTeamEraser(context) };
};

export type Integrations = ReturnType<typeof createIntegrations>;
