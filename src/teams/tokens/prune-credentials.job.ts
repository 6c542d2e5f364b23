import { defineJob } from '../../jobs/index.ts';
import { type Clock, type Database, Type } from '../../platform/index.ts';
import { deleteExpired } from '../records/credential-store.ts';

const KEPT_AFTER_EXPIRY_MS = 24 * 3_600_000;

export const PRUNE_EVERY_MS = 3_600_000;

export const pruneCredentials = defineJob({ name: 'prune-credentials', payload: Type.Object({}) });

/** A day after they expire. Until then, lists still show them as expired. */
export const handlePruneCredentials =
  ({ database, clock }: { database: Database; clock: Clock }) =>
  async (): Promise<void> =>
    deleteExpired(database, clock.now() - KEPT_AFTER_EXPIRY_MS);
