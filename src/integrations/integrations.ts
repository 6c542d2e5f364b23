import type { Routes } from '../http/index.ts';
import { type Forwarder, withContext } from '../platform/index.ts';
import type { ConnectSessions } from '../teams/index.ts';
import { approvalRoutes } from './approvals/approval-routes.ts';
import { createApprovals } from './approvals/approvals.ts';
import {
  APPROVALS_EVERY_MS,
  approvalsDue,
  handleApprovalsDue,
  handlePruneApprovals,
  PRUNE_APPROVALS_EVERY_MS,
  pruneApprovals,
} from './approvals/approvals-due.job.ts';
import { parkRequest } from './approvals/park-request.ts';
import { createClients } from './clients/clients.ts';
import { beginForCaller } from './connect/begin-connect.ts';
import { callbackRoutes } from './connect/callback-routes.ts';
import { connectRoutes } from './connect/connect-routes.ts';
import { handlePruneAttempts, PRUNE_ATTEMPTS_EVERY_MS, pruneAttempts } from './connect/prune-attempts.job.ts';
import { handleRevokeGrant, revokeGrant } from './connections/revoke-grant.job.ts';
import { createStatusBoard } from './connections/status.ts';
import { createContainmentWatch } from './containment/containment-watch.ts';
import type { IntegrationsContext } from './context.ts';
import { credentialRoutes } from './credential-routes.ts';
import { createConnectionEraser } from './erase-team.ts';
import type { BrandSettings } from './hosted/brand.ts';
import { clientRoutes } from './hosted/client-routes.ts';
import { createProduct } from './hosted/create-product.ts';
import { hostedRoutes } from './hosted/hosted-routes.ts';
import { scriptRoutes } from './hosted/script-routes.ts';
import { CONTAIN_EVERY_MS, containDue, handleContainDue } from './incidents/contain-due.job.ts';
import { containmentRoutes } from './incidents/containment-routes.ts';
import { createContainments } from './incidents/containments.ts';
import {
  handlePruneContainments,
  PRUNE_CONTAINMENTS_EVERY_MS,
  pruneContainments,
} from './incidents/prune-containments.job.ts';
import {
  handleRevokeContainedDue,
  REVOKE_CONTAINED_EVERY_MS,
  revokeContainedDue,
} from './incidents/revoke-contained-due.job.ts';
import { integrationRoutes } from './integration-routes.ts';
import { keyFormRoutes } from './key-form/key-form-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import type { OnPeopleEnded } from './people/choose-people.ts';
import { createPeople } from './people/people.ts';
import { deletePeopleSettings } from './people/people-store.ts';
import { peopleRoutes } from './people-routes.ts';
import { providerRoutes } from './provider-routes.ts';
import { callApi } from './proxy/call-api.ts';
import { createOpenApis } from './proxy/open-apis.ts';
import { createPlaces, MOST_PLACES } from './proxy/places.ts';
import { proxyRoutes } from './proxy/proxy-routes.ts';
import { createRefresher } from './refresh/refresh-connection.ts';
import { REFRESH_EVERY_MS, refreshDue } from './refresh/refresh-due.job.ts';
import { createCredentialUses } from './request-log/credential-uses.ts';
import { handlePruneRequests, PRUNE_REQUESTS_EVERY_MS, pruneRequests } from './request-log/prune-requests.job.ts';
import { createRequestLog } from './request-log/request-log.ts';
import { requestRoutes } from './request-log/request-routes.ts';
import { createDiscovery } from './requests/discovery.ts';
import { handlePruneSandbox, PRUNE_SANDBOX_EVERY_MS, pruneSandbox } from './sandbox/prune-sandbox.job.ts';
import { SANDBOX } from './sandbox/record.ts';
import { siteRoutes } from './site-routes.ts';
import { handlePruneUsage, PRUNE_USAGE_EVERY_MS, pruneUsage } from './usage/prune-usage.job.ts';
import { createUsageMeter } from './usage/usage-meter.ts';
import { createUseCases } from './use-cases.ts';
import { createVerifier } from './verification/verifier.ts';
import { VERIFY_EVERY_MS, verifyDue } from './verification/verify-due.job.ts';
import { createTeamReceivers } from './webhooks/receiving/team-receivers.ts';
import { createWebhooks, type WebhookSettings } from './webhooks/webhooks.ts';

type Surroundings = {
  sessions: ConnectSessions;
  brand: BrandSettings;
  forwarder: Forwarder;
  production: boolean;
  webhooks: WebhookSettings;
  /** Empties the memory of callers. */
  forgetCallers(): void;
  /** Erases what telephony has of a connection's contacts and log. */
  onPeopleEnded: OnPeopleEnded;
};

/**
 * Builds the integrations: binds their jobs, and returns their routes and the use cases that other parts of the service
 * call.
 */
export const createIntegrations = (
  given: Omit<IntegrationsContext, 'clients' | 'discover' | 'forgetStatus' | 'forgetWebhooks' | 'onConnectionEnded'>,
  { sessions, brand, forwarder, production, webhooks: webhookSettings, forgetCallers, onPeopleEnded }: Surroundings,
) => {
  const teamReceivers = createTeamReceivers(given);
  const { forget: forgetWebhooks } = teamReceivers;
  const basis = { ...given, clients: createClients(given), discover: createDiscovery(given), forgetWebhooks };
  const board = createStatusBoard(basis);
  const forgetStatus = (teamId: string): void => {
    board.forget(teamId);
    apis.forget();
  };
  const context: IntegrationsContext = {
    ...basis,
    forgetStatus,
    async onConnectionEnded(tx, { teamId, provider, id: connectionId }) {
      if (!given.catalogue.get(provider)?.record.people) return;
      await deletePeopleSettings(tx, teamId, connectionId);
      await onPeopleEnded(tx, { teamId, connectionId, names: true, log: true, isGone: true });
    },
  };
  const refresher = createRefresher(context);
  const verifier = createVerifier({ ...context, refresher });
  const useCases = createUseCases({ ...context, refresher, verifier });
  const apis = createOpenApis({ ...context, refresher });
  const usage = createUsageMeter(context);
  const requestLog = createRequestLog(context);
  const uses = createCredentialUses({ usage, requestLog });
  const containmentWatch = createContainmentWatch(context);
  const atProviders = { ...context, forwarder, refresher, verifier, apis, uses, containmentWatch };
  const approvals = { ...createApprovals(atProviders), doDue: handleApprovalsDue(atProviders) };
  const { parkRequest: park } = withContext(atProviders, { parkRequest });
  const proxy = { ...atProviders, park, places: createPlaces(MOST_PLACES) };

  const people = createPeople({ ...proxy, onPeopleEnded }, { demo: SANDBOX });
  const webhooks = createWebhooks(context, teamReceivers, webhookSettings);

  const flushUses = async (): Promise<void> => {
    await Promise.all([usage.flush(), requestLog.flush()]);
  };
  const containments = {
    ...createContainments({ ...context, forgetCallers, flushUses }),
    doDue: handleContainDue(context),
    revokeDue: handleRevokeContainedDue(context),
    flushUses,
  };

  const { jobs } = context;
  jobs.handle(containDue, containments.doDue);
  jobs.every(containDue, { everyMs: CONTAIN_EVERY_MS });
  jobs.handle(revokeContainedDue, containments.revokeDue);
  jobs.every(revokeContainedDue, { everyMs: REVOKE_CONTAINED_EVERY_MS });
  jobs.handle(refreshDue, useCases.refreshDue);
  jobs.every(refreshDue, { everyMs: REFRESH_EVERY_MS });
  jobs.handle(verifyDue, useCases.verifyDue);
  jobs.every(verifyDue, { everyMs: VERIFY_EVERY_MS });
  jobs.handle(revokeGrant, handleRevokeGrant(context));
  jobs.handle(approvalsDue, approvals.doDue);
  jobs.every(approvalsDue, { everyMs: APPROVALS_EVERY_MS });
  jobs.prune(pruneApprovals, { everyMs: PRUNE_APPROVALS_EVERY_MS }, handlePruneApprovals(context));
  jobs.prune(pruneContainments, { everyMs: PRUNE_CONTAINMENTS_EVERY_MS }, handlePruneContainments(context));
  jobs.prune(pruneUsage, { everyMs: PRUNE_USAGE_EVERY_MS }, handlePruneUsage(context));
  jobs.prune(pruneRequests, { everyMs: PRUNE_REQUESTS_EVERY_MS }, handlePruneRequests(context));
  jobs.prune(pruneAttempts, { everyMs: PRUNE_ATTEMPTS_EVERY_MS }, handlePruneAttempts(context));
  jobs.prune(pruneSandbox, { everyMs: PRUNE_SANDBOX_EVERY_MS }, handlePruneSandbox(context));

  const product = createProduct(context, sessions, brand);
  const routes: readonly Routes[] = [
    ...connectRoutes(context, product),
    callbackRoutes(context, product),
    integrationRoutes(useCases, context.clock, board.bytesOf),
    providerRoutes(useCases),
    credentialRoutes(useCases),
    siteRoutes({ ...context, refresher }),
    keyRoutes(context),
    keyFormRoutes(context, product),
    hostedRoutes({ ...context, refresher }, { sessions, product, settings: brand, tellsSettings: !production }),
    clientRoutes,
    scriptRoutes(context),
    ...webhooks.routes,
    requestRoutes(useCases),
    approvalRoutes(approvals),
    containmentRoutes(containments),
    peopleRoutes({ ...context, onPeopleEnded }),
    proxyRoutes(proxy),
  ];
  const close = async (): Promise<void> => {
    await Promise.all([usage.close(), requestLog.close(), webhooks.close()]);
  };
  const forPrograms = { ...withContext(proxy, { callApi }), ...withContext(context, { beginForCaller }) };
  const eraser = createConnectionEraser(context);
  return { ...useCases, ...forPrograms, approvals, containments, people, webhooks, routes, eraser, close };
};

export type Integrations = ReturnType<typeof createIntegrations>;
