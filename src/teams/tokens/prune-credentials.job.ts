import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { TeamsContext } from '../records/context.ts';
import { deleteExpired } from '../records/credential-store.ts';

const KEPT_AFTER_EXPIRY_MS = 24 * 3_600_000;

export const pruneCredentials = defineJob({ name: 'prune-credentials', payload: Type.Object({}) });

/** A day after they expire. Until then, lists still show them as expired. */
export const handlePruneCredentials =
  ({ database, clock }: TeamsContext) =>
  (): Promise<void> =>
    deleteExpired(database, clock.now() - KEPT_AFTER_EXPIRY_MS);
