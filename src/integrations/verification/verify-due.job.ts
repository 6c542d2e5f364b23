import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { listProvidersWith } from '../due/due-store.ts';
import { listUnverified } from '../due/verification-store.ts';
import { workInTurns } from '../due/work-in-turns.ts';
import type { Verifier } from './verifier.ts';

export const VERIFY_EVERY_MS = 30_000;
/**
 * How many connections a provider is asked about in one run. Only one process has each run, so this limits how many
 * requests a provider gets from all of them: enough for 170,000 connections a day.
 */
export const MOST_PER_RUN = 60;

/** A failed run isn't retried. Connections that it didn't verify are still due in the next run. */
export const verifyDue = defineJob({ name: 'verify-due', payload: Type.Object({}), attempts: 1 });

export const handleVerifyDue =
  ({ database, clock, log, verifies }: IntegrationsContext, verifier: Verifier) =>
  async (): Promise<void> => {
    if (!verifies) return;
    const asked = new Map<string, number>();
    const countOf = (provider: string): number => asked.get(provider) ?? 0;
    const count = (provider: string, by: 1 | -1): unknown => asked.set(provider, countOf(provider) + by);
    await workInTurns({
      listProviders: () => listProvidersWith(database, 'verify_due_at'),
      listDue: async (provider, limit) =>
        countOf(provider) >= MOST_PER_RUN ? [] : listUnverified(database, { provider, now: clock.now(), limit }),
      async work(key) {
        const { provider } = key;
        if (countOf(provider) >= MOST_PER_RUN) return;
        count(provider, 1);
        const wasAsked = await verifier.verify(key).catch((err) => {
          log.warn({ err, provider }, 'a connection could not be verified');
          return true;
        });
        if (!wasAsked) count(provider, -1);
      },
    });
  };
