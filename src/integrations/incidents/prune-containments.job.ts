import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { deleteLiftedBefore } from '../containment/containment-store.ts';
import type { IntegrationsContext } from '../context.ts';

export const PRUNE_CONTAINMENTS_EVERY_MS = 24 * 3_600_000;
/** As long as the audit log is kept by default. */
const KEPT_MS = 400 * 24 * 3_600_000;

/** Deletes containments that were lifted long ago. */
export const pruneContainments = defineJob({
  name: 'prune-containments',
  payload: Type.Object({}),
  attempts: 1,
  runsWhilePaused: true,
});

export const handlePruneContainments =
  ({ database, clock }: IntegrationsContext) =>
  (): Promise<void> =>
    deleteLiftedBefore(database, clock.now() - KEPT_MS);
