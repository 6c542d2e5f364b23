import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { deleteGroupsBefore } from './request-group-store.ts';

export const PRUNE_REQUESTS_EVERY_MS = 3_600_000;
/** How long requests are kept. */
export const REQUESTS_KEPT_MS = 7 * 24 * 3_600_000;

export const pruneRequests = defineJob({ name: 'prune-requests', payload: Type.Object({}) });

export const handlePruneRequests =
  ({ database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>) =>
  async (): Promise<void> => {
    await deleteGroupsBefore(database, clock.now() - REQUESTS_KEPT_MS);
  };
