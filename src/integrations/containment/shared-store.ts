import type { Queries } from '../../platform/index.ts';
import { reopenContainments } from './containment-store.ts';

/**
 * Has the contained grants of an account looked at again that were shared, because another connection to the account gives
 * its own grant up.
 */
export const reconsiderShared = async (
  queries: Queries,
  { provider, accountId }: { provider: string; accountId: string | null },
  now: number,
): Promise<void> => {
  if (accountId === null) return;
  const due = await queries.all<{ connectionId: string; connectedAt: number }>(
    `update contained_connections set due_at = $3 where state = 'shared' and due_at is null
        and connection_id in (select id from connections where provider = $1 and account_id = $2)
        and exists (select 1 from containments k where k.id = containment_id and k.revokes = 1 and k.lifted_at is null)
      returning connection_id as "connectionId", connected_at as "connectedAt"`,
    [provider, accountId, now],
  );
  for (const consented of due) await reopenContainments(queries, consented);
};
