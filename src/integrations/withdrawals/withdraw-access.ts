import { recordAudit, SERVICE } from '../../teams/index.ts';
import { changeStandingIn } from '../connections/change-standing.ts';
import type { ConnectionKey } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { listHolders } from './holder-store.ts';
import { endsConnection, type Held, type Withdrawal } from './withdrawal.ts';

const PIECE = 100;

const WITHDRAWN = 'Access was withdrawn at the provider. Connect again.';

/** Ends a connection. It gets a new generation, so that a refresh in progress can't store its tokens. */
const endConnection = (
  context: IntegrationsContext,
  key: ConnectionKey,
  isMeant: (connection: Held) => boolean,
): Promise<void> => {
  const { database, clock, forgetStatus } = context;
  return database.transaction(async (tx) => {
    const connection = await getConnection(tx, key, 'for update');
    // Someone may have reconnected or removed the connection in the meantime.
    if (!connection || !isMeant(connection)) return;
    const { teamId, provider, name, accountLabel, generation, leaseNumber, troubleSince } = connection;
    await changeStandingIn(context, tx, connection, {
      status: 'needs_reconnect',
      reason: 'withdrawn',
      lastError: WITHDRAWN,
      troubleSince: troubleSince ?? clock.now(),
      refusal: null,
      refreshDueAt: null,
      refreshBegunAt: null,
      generation: generation + 1,
      leaseNumber: leaseNumber + 1,
      leaseOwner: null,
      leaseUntil: null,
    });
    const detail = { connection: name, account: accountLabel };
    await recordAudit(context, tx, teamId, SERVICE, { action: 'integration.withdrawn', target: provider, detail });
    tx.afterCommit(() => forgetStatus(teamId));
  });
};

/**
 * Ends every connection that a withdrawal is about, in all teams, each in its own transaction. Skips connections that
 * have ended, so if the work is interrupted, the same message, sent again, completes it.
 */
export const withdrawAccess = async (
  context: IntegrationsContext,
  provider: string,
  withdrawal: Withdrawal,
): Promise<void> => {
  const { database, operatorClients } = context;
  const client = operatorClients.get(provider);
  if (!client) return;
  const isMeant = (connection: Held): boolean => endsConnection(withdrawal, client.id, connection);
  const of = { provider, accountId: withdrawal.accountId, clientId: client.id };
  let after = '';
  for (;;) {
    const holders = await listHolders(database, of, { after, limit: PIECE });
    for (const holder of holders.filter(isMeant)) await endConnection(context, holder, isMeant);
    if (holders.length < PIECE) return;
    after = holders.at(-1)?.id ?? after;
  }
};
