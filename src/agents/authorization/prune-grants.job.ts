import { defineJob } from '../../jobs/index.ts';
import { deleteExpiredIssued, deleteOldestIssued } from '../../oauth/index.ts';
import { giveWay, Type } from '../../platform/index.ts';
import { STRANGERS } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { parseAccount } from './account.ts';
import { listUnseenGrants, markSeen } from './grant-store.ts';

export const PRUNE_GRANTS_EVERY_MS = 5 * 60_000;

/** Longer than a code lasts. */
const REDEEMED_WITHIN_MS = 2 * 60_000;
const AT_ONCE = 100;

export const pruneGrants = defineJob({ name: 'prune-grants', payload: Type.Object({}) });

type PruneContext = Pick<AgentsContext, 'database' | 'clock' | 'tokens'>;

/**
 * Ends grants that no client can use, because nobody redeemed the code in time. Looks at each grant once: one that was
 * redeemed ends with its refresh token, or when the client gives a token back.
 */
const endUnredeemed = async ({ database, clock, tokens }: PruneContext): Promise<void> => {
  for (;;) {
    const now = clock.now();
    const grants = await listUnseenGrants(database, { begunBefore: now - REDEEMED_WITHIN_MS, now, limit: AT_ONCE });
    for (const { grantId, payload, isRedeemed } of grants) {
      const account = isRedeemed ? null : parseAccount(JSON.parse(payload).accountId);
      if (account) await tokens.endGrant(account.teamId, grantId, 'no client can use it any more');
    }
    if (grants.length > 0) await markSeen(database, grants);
    if (grants.length < AT_ONCE) return;
    await giveWay();
  }
};

/** Deletes what has expired or is too much, and ends grants that no client can use. */
export const handlePruneGrants = (context: PruneContext) => async (): Promise<void> => {
  const { database, clock } = context;
  await endUnredeemed(context);
  await deleteExpiredIssued(database, 'agent_issued', clock.now(), giveWay);
  for (const { kind, most } of STRANGERS) await deleteOldestIssued(database, 'agent_issued', kind, most, giveWay);
};
