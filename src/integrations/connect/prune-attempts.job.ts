import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { giveUpExpired } from '../connections/give-up-revocation.ts';
import type { IntegrationsContext } from '../context.ts';
import { deleteOldAttempts } from './attempt-store.ts';

export const PRUNE_ATTEMPTS_EVERY_MS = 5 * 60_000;
/** How long a used state is remembered after it expires. */
const KEPT_MS = 3_600_000;

export const pruneAttempts = defineJob({ name: 'prune-attempts', payload: Type.Object({}) });

export const handlePruneAttempts =
  (context: Pick<IntegrationsContext, 'database' | 'clock' | 'newId'>) => async (): Promise<void> => {
    const { database, clock } = context;
    const now = clock.now();
    await deleteOldAttempts(database, now, now - KEPT_MS);
    await giveUpExpired(context);
  };
