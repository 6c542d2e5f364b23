import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { NoticesContext } from '../context.ts';
import { alertDispatches } from './alert-dispatches.ts';

const KEPT_MS = 30 * 24 * 3_600_000;

export const PRUNE_ALERTS_EVERY_MS = 3_600_000;

export const pruneAlertsJob = defineJob({
  name: 'prune-alerts',
  payload: Type.Object({}),
  attempts: 3,
  timeoutMs: 10 * 60_000,
});

export const handlePruneAlerts = async ({ database, clock, events }: NoticesContext): Promise<void> => {
  await events.alerts.prune();
  await alertDispatches.ledger.deleteBefore(database, clock.now() - KEPT_MS);
};
