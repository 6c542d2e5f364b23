import { getTeam, recordAudit, SERVICE } from '../../teams/index.ts';
import { settleRevocation } from '../containment/contained-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { deleteRevocation, listExpiredRevocations, type Revocation } from './revocation-store.ts';

type Context = Pick<IntegrationsContext, 'database' | 'clock' | 'newId'>;

const AT_ONCE = 100;

/** Gives a revocation up, and tells the team, which was told that it would be tried again. */
export const giveUpRevocation = (
  context: Context,
  {
    teamId,
    id,
    provider,
    accountId,
    answeredAt,
  }: Pick<Revocation, 'teamId' | 'id' | 'provider' | 'accountId' | 'answeredAt'>,
): Promise<void> =>
  context.database.transaction(async (tx) => {
    const deleted = await deleteRevocation(tx, teamId, id);
    await settleRevocation(tx, id, { state: 'failed', now: context.clock.now() });
    // The audit log of a team that is being erased gets nothing new.
    if (deleted === 0 || !(await getTeam(tx, teamId))) return;
    const detail = { account: accountId, answered: answeredAt !== null };
    await recordAudit(context, tx, teamId, SERVICE, { action: 'integration.not_revoked', target: provider, detail });
  });

/**
 * Gives up the revocations of all teams that were tried for long enough. Their own jobs rarely do it, because their last
 * attempts are hours apart.
 */
export const giveUpExpired = async (context: Context): Promise<void> => {
  const { database, clock } = context;
  const before = clock.now();
  for (let isLast = false; !isLast; ) {
    const expired = await listExpiredRevocations(database, before, AT_ONCE);
    isLast = expired.length < AT_ONCE;
    for (const revocation of expired) await giveUpRevocation(context, revocation);
  }
};
