import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { listDueConnections } from './connection-store.ts';
import type { Refresher } from './refresh-connection.ts';
import { workInTurns } from './work-in-turns.ts';

export const REFRESH_EVERY_MS = 15_000;

/** Whatever one run leaves is still due in the next, so a failed run isn't retried. */
export const refreshDue = defineJob({ name: 'refresh-due', payload: Type.Object({}), attempts: 1 });

/** Refreshes what is due. */
export const handleRefreshDue =
  ({ database, clock, log }: IntegrationsContext, refresher: Refresher) =>
  (): Promise<void> =>
    workInTurns({
      listDue: (limit) => listDueConnections(database, clock.now(), limit),
      work: (key) =>
        refresher
          .refresh(key)
          .catch((err) => log.warn({ err, provider: key.provider }, 'a connection could not be refreshed')),
    });
