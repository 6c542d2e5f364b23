import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { deleteOldArrivals } from './receiving/arrival-store.ts';

const DAY_MS = 24 * 3_600_000;
export const PRUNE_WEBHOOKS_EVERY_MS = 3_600_000;
/** For as long as the events themselves. No provider repeats a message that is older. */
const KEPT_DAYS = 30;

export const pruneWebhooks = defineJob({ name: 'prune-webhooks', payload: Type.Object({}) });

/** Forgets which messages have arrived long ago. */
export const handlePruneWebhooks =
  ({ database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>) =>
  async (): Promise<void> => {
    await deleteOldArrivals(database, clock.now() - KEPT_DAYS * DAY_MS);
  };
