import { withContext } from '../platform/index.ts';
import { type AskedAllow, createAuditLog } from '../teams/index.ts';
import { findProvider } from './catalogue/catalogue.ts';
import { checkProvider } from './checking/check-provider.ts';
import { draftEntry } from './checking/draft-entry.ts';
import { getEvidence, tryProvider } from './checking/try-provider.ts';
import { checkReturnAddress } from './connect/return-address.ts';
import { countConnections } from './connections/count-connections.ts';
import { disconnect } from './connections/disconnect.ts';
import { listNamesInstead } from './connections/find-connection.ts';
import { getStatus, listConnected, narrowStatus } from './connections/status.ts';
import type { IntegrationsContext } from './context.ts';
import { adoptConnection, examineConnection } from './imported-connections/adopt-connection.ts';
import { bindAllowed } from './proxy/allowed/bind-allowed.ts';
import { handOutToken } from './refresh/hand-out-token.ts';
import type { Refresher } from './refresh/refresh-connection.ts';
import { handleRefreshDue } from './refresh/refresh-due.job.ts';
import { findRequest } from './request-log/find-request.ts';
import { listRequests } from './request-log/list-requests.ts';
import { checkConnect } from './set-up/check-connect.ts';
import { getSetUp } from './set-up/get-set-up.ts';
import { listConnectionIds } from './set-up/list-connection-ids.ts';
import { listConnectionsOf } from './set-up/list-connections-of.ts';
import { listProviders } from './set-up/list-providers.ts';
import { deleteOwnCredentials, putOwnCredentials, putOwnScopes } from './set-up/own-credentials.ts';
import { chooseSite } from './sites/choose-site.ts';
import { listSites } from './sites/list-sites.ts';
import { listUsage } from './usage/list-usage.ts';
import type { Verifier } from './verification/verifier.ts';
import { handleVerifyDue } from './verification/verify-due.job.ts';

/** The use cases of a team's integrations, for routes, pages, jobs and reports. */
export const createUseCases = (context: IntegrationsContext & { refresher: Refresher; verifier: Verifier }) => {
  const { refresher, verifier } = context;
  const audit = createAuditLog(context);
  return {
    ...withContext(context, { getStatus, narrowStatus, listConnected, countConnections, listProviders, getSetUp }),
    ...withContext(context, { checkConnect, disconnect, listNamesInstead, listUsage, listSites, chooseSite }),
    ...withContext(context, { examineConnection, adoptConnection, checkProvider, draftEntry }),
    ...withContext(context, {
      tryProvider,
      getEvidence,
      listConnectionsOf,
      listConnectionIds,
      listRequests,
      findRequest,
    }),
    ...withContext(context, {
      putCredentials: putOwnCredentials,
      deleteCredentials: deleteOwnCredentials,
      putOwnScopes,
    }),
    ...withContext({ ...context, audit }, { handOutToken }),
    /**
     * Checks the options of a connect session. Throws if a provider doesn't exist, or if the return URL isn't allowed.
     */
    checkSessionOptions(providers: readonly string[] | null, returnTo: string | null): string | null {
      for (const provider of providers ?? []) findProvider(context.catalogue, provider);
      return returnTo === null ? null : checkReturnAddress(returnTo, context.returnOrigins);
    },
    /** Checks what a restricted token is to be allowed, and finds the accounts that it belongs to. */
    async bindAllowed(teamId: string, asked: readonly AskedAllow[], returnTo: string | null) {
      const address = returnTo === null ? null : checkReturnAddress(returnTo, context.returnOrigins);
      return { allow: await bindAllowed(context, teamId, asked), returnTo: address };
    },
    /** Whether the operator has added a provider with this ID. */
    isCustomProvider: (id: string): boolean => context.catalogue.get(id)?.custom === true,
    /** The provider's name. Undefined if it isn't in the catalog anymore. */
    findProviderName: (id: string): string | undefined => context.catalogue.get(id)?.record.name,
    /** Where a person can remove access at the provider themselves, if that is known. */
    findRemoval: (id: string): string | undefined => context.catalogue.get(id)?.record.removal,
    refreshDue: handleRefreshDue(context, refresher),
    verifyDue: handleVerifyDue(context, verifier),
  };
};

export type UseCases = ReturnType<typeof createUseCases>;
