import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { pullBackTokens } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { listDueAt, listProvidersWith } from '../due/due-store.ts';
import { workInTurns } from '../due/work-in-turns.ts';
import type { Refresher } from './refresh-connection.ts';

export const REFRESH_EVERY_MS = 15_000;

/** A failed run isn't retried. Connections that it didn't refresh are still due in the next run. */
export const refreshDue = defineJob({ name: 'refresh-due', payload: Type.Object({}), attempts: 1 });

/** How much the clocks of different processes may differ. */
const SLACK_MS = 60_000;

/**
 * Refreshes the connections that are due. On the first run, and after the clock was set back, also corrects tokens that
 * were stored while the clock was ahead, which makes them due.
 */
export const handleRefreshDue = ({ database, clock, log }: IntegrationsContext, refresher: Refresher) => {
  let lastLook = Number.POSITIVE_INFINITY;
  return async (): Promise<void> => {
    const now = clock.now();
    if (now < lastLook) await pullBackTokens(database, now, SLACK_MS);
    lastLook = now;
    await workInTurns({
      listProviders: () => listProvidersWith(database, 'refresh_due_at'),
      listDue: (provider, limit) => listDueAt(database, 'refresh_due_at', { provider, now: clock.now(), limit }),
      work: (key) =>
        refresher
          .refresh(key)
          .catch((err) => log.warn({ err, provider: key.provider }, 'a connection could not be refreshed')),
    });
  };
};
