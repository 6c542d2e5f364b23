import {
  type AuditActor,
  type Beginning,
  callerRemoved,
  getUserWhoBegan,
  lockUserWhoBegan,
  recordAudit,
} from '../../teams/index.ts';
import type { Connection } from '../connections/connection.ts';
import { changeConnection, getConnection } from '../connections/connection-store.ts';
import { connectionBusy, notConnected } from '../errors.ts';
import type { WorkingContext } from '../refresh/working-connection.ts';
import { siteUnknown } from './errors.ts';
import { listSites, type WantedSites } from './list-sites.ts';

/** Chooses one of the sites that the provider lists now. Returns the changed connection. */
export const chooseSite = async (
  context: WorkingContext,
  wanted: WantedSites,
  siteId: string,
  actor: AuditActor,
  begun: Beginning,
): Promise<Connection> => {
  const checkCaller = async () => {
    if (!(await getUserWhoBegan(context.database, wanted, begun, context.clock.now()))) throw callerRemoved();
  };
  const { connection, sites } = await listSites(context, wanted, { checkCaller });
  const site = sites.find(({ id }) => id === siteId);
  if (!site) throw siteUnknown();
  const { teamId, provider, name } = connection;
  return context.database.transaction(async (tx) => {
    const current = await getConnection(tx, connection, 'for update');
    if (current?.id !== connection.id) throw notConnected();
    // `connectedAt` changes with a new consent, which may cover other sites or be for another account. After a mere
    // refresh, the choice is still valid.
    if (current.connectedAt !== connection.connectedAt) throw connectionBusy();
    const chosen = { state: 'chosen', ...site } as const;
    await changeConnection(tx, current, { site: chosen });
    const detail = { connection: name, site: site.label };
    await recordAudit(context, tx, teamId, actor, { action: 'integration.site', target: provider, detail });
    // Look only now, because this may have waited for the connection's lock.
    if (!(await lockUserWhoBegan(tx, wanted, begun, context.clock.now()))) throw callerRemoved();
    tx.afterCommit(() => context.forgetStatus(teamId));
    return { ...current, site: chosen };
  });
};
