import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { listProvidersToRevoke, listToRevoke, postponeRevocation } from '../containment/contained-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { workInTurns } from '../due/work-in-turns.ts';
import { revokeContained } from './revoke-contained.ts';

export const REVOKE_CONTAINED_EVERY_MS = 5_000;

/** How many connections are read to find those of several teams. Others have to wait behind a team with more. */
const MOST_READ = 1_000;
const AFTER_FAILURE_MS = 30_000;

/**
 * A failed run isn't retried, because the next one does the same. A job of its own, so that the ledger of another
 * containment doesn't wait for slow providers.
 */
export const revokeContainedDue = defineJob({ name: 'revoke-contained', payload: Type.Object({}), attempts: 1 });

/** Revokes what is due, a few grants at a time. A provider that fails or asks for a pause gets one. */
export const handleRevokeContainedDue = (context: IntegrationsContext) => {
  const { database, clock, log, pause } = context;
  const pausedUntil = new Map<string, number>();
  const isPaused = (provider: string): boolean => (pausedUntil.get(provider) ?? 0) > clock.now();
  return async (): Promise<void> => {
    if (await pause.read()) return;
    await workInTurns({
      listProviders: async () => (await listProvidersToRevoke(database)).filter((provider) => !isPaused(provider)),
      listDue: async (provider, limit) =>
        isPaused(provider)
          ? []
          : listToRevoke(database, { provider, now: clock.now(), limit: Math.min(limit, MOST_READ) }),
      async work(row) {
        const { provider } = row;
        if (isPaused(provider)) return;
        try {
          const pauseMs = await revokeContained(context, row);
          if (pauseMs > 0) pausedUntil.set(provider, clock.now() + pauseMs);
        } catch (err) {
          log.warn({ err, provider }, 'a contained grant could not be revoked yet');
          // Otherwise, it would stay in front of those that can be revoked. If this fails, too, it does.
          await postponeRevocation(database, row, clock.now() + AFTER_FAILURE_MS).catch(() => undefined);
        }
      },
    });
  };
};
