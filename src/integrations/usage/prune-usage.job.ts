import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { hourOf } from './usage-meter.ts';
import { deleteUsageBefore } from './usage-store.ts';

const DAY_MS = 24 * 3_600_000;
export const PRUNE_USAGE_EVERY_MS = DAY_MS;
const KEPT_DAYS = 90;

export const pruneUsage = defineJob({ name: 'prune-usage', payload: Type.Object({}) });

export const handlePruneUsage =
  ({ database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>) =>
  async (): Promise<void> => {
    await deleteUsageBefore(database, hourOf(clock.now() - KEPT_DAYS * DAY_MS));
  };
