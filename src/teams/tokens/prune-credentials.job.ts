import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { deleteExpiredConnectSessions } from '../records/connect-session-store.ts';
import { deleteExpired } from '../records/credential-store.ts';

const KEPT_AFTER_EXPIRY_MS = 24 * 3_600_000;
/** Longer than any connect takes, with its link, the provider's page, and the end in another browser. */
const CONNECTS_END_WITHIN_MS = 3_600_000;

export const pruneCredentials = defineJob({ name: 'prune-credentials', payload: Type.Object({}) });

export const PRUNE_CREDENTIALS_EVERY_MS = 5 * 60_000;

/**
 * Deletes credentials a day after they expire. Until then, lists show them as expired. Connect sessions are in no list,
 * so they're only kept for as long as a connect that was begun with one can take.
 */
export const handlePruneCredentials =
  ({ database, clock }: Pick<TeamsContext, 'database' | 'clock'>) =>
  async (): Promise<void> => {
    await deleteExpiredConnectSessions(database, clock.now() - CONNECTS_END_WITHIN_MS);
    await deleteExpired(database, clock.now() - KEPT_AFTER_EXPIRY_MS);
  };
