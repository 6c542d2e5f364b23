import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import type { ConnectionKey } from './connection.ts';
import { listDueConnections } from './connection-store.ts';
import type { Refresher } from './refresh-connection.ts';

export const REFRESH_EVERY_MS = 15_000;
const AT_ONCE = 8;
/** A provider that doesn't respond holds up only its own connections. */
const AT_ONCE_PER_PROVIDER = 3;
const PAGE = 200;
const WORK_MS = 45_000;

/** Whatever one run leaves is still due in the next, so a failed run isn't retried. */
export const refreshDue = defineJob({ name: 'refresh-due', payload: Type.Object({}), attempts: 1 });

const toText = ({ teamId, provider, name }: ConnectionKey): string => `${teamId} ${provider} ${name}`;

/** Refreshes what is due, a few at a time. Connections that aren't due cost nothing. */
export const handleRefreshDue =
  ({ database, clock, log }: IntegrationsContext, refresher: Refresher) =>
  async (): Promise<void> => {
    const stopAt = performance.now() + WORK_MS;
    // What was tried in this run and is still due waits for the next, so that no provider is hammered.
    const tried = new Set<string>();
    for (;;) {
      const due = await listDueConnections(database, clock.now(), PAGE + tried.size);
      const fresh = due.filter((key) => !tried.has(toText(key)));
      if (fresh.length === 0) return;
      const busy = new Map<string, number>();
      const change = (provider: string, by: number) => busy.set(provider, (busy.get(provider) ?? 0) + by);
      const takeNext = () => {
        const index = fresh.findIndex(({ provider }) => (busy.get(provider) ?? 0) < AT_ONCE_PER_PROVIDER);
        return index === -1 ? undefined : fresh.splice(index, 1)[0];
      };
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (let next = takeNext(); next && performance.now() < stopAt; next = takeNext()) {
          const { provider } = next;
          tried.add(toText(next));
          change(provider, 1);
          await refresher
            .refresh(next)
            .catch((err) => log.warn({ err, provider }, 'a connection could not be refreshed'));
          change(provider, -1);
        }
      });
      await Promise.all(workers);
      if (performance.now() >= stopAt) return;
    }
  };
