import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import { deleteDispatchesBefore } from './alert-dispatch-store.ts';
import { deleteCallAlertsBefore, deleteResolvedBefore } from './alert-store.ts';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
/** A call that nobody has returned by then isn't waited for anymore. */
const CALLS_OPEN_MS = 7 * DAY_MS;

export const PRUNE_ALERTS_EVERY_MS = 3_600_000;

export const pruneAlertsJob = defineJob({
  name: 'prune-alerts',
  payload: Type.Object({}),
  attempts: 3,
  timeoutMs: 10 * 60_000,
});

export const handlePruneAlerts = async ({ database, clock }: EventsContext): Promise<void> => {
  const now = clock.now();
  await deleteCallAlertsBefore(database, now - CALLS_OPEN_MS);
  await deleteResolvedBefore(database, now - KEPT_MS);
  await deleteDispatchesBefore(database, now - KEPT_MS);
};
