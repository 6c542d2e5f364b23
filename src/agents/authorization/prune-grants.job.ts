import { defineJob } from '../../jobs/index.ts';
import { deleteExpiredIssued, deleteOldestIssued } from '../../oauth/index.ts';
import { giveWay, Type } from '../../platform/index.ts';
import { STRANGERS } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { parseAccount } from './account.ts';
import { listUnusableGrants } from './grant-store.ts';

export const PRUNE_GRANTS_EVERY_MS = 5 * 60_000;

/** Longer than a code lasts. */
const REDEEMED_WITHIN_MS = 2 * 60_000;
const AT_ONCE = 100;

export const pruneGrants = defineJob({ name: 'prune-grants', payload: Type.Object({}) });

/** Deletes what has expired or is too much, and ends grants that no client can use any more. */
export const handlePruneGrants =
  ({ database, clock, tokens }: Pick<AgentsContext, 'database' | 'clock' | 'tokens'>) =>
  async (): Promise<void> => {
    const now = clock.now();
    const begunBefore = now - REDEEMED_WITHIN_MS;
    for (const { grantId, payload } of await listUnusableGrants(database, { begunBefore, now, limit: AT_ONCE })) {
      const account = parseAccount(JSON.parse(payload).accountId);
      if (account) await tokens.endGrant(account.teamId, grantId, 'no client can use it any more');
    }
    await deleteExpiredIssued(database, 'agent_issued', now, giveWay);
    for (const { kind, most } of STRANGERS) await deleteOldestIssued(database, 'agent_issued', kind, most, giveWay);
  };
