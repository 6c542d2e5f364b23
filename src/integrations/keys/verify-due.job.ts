import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { listProvidersWith } from '../refresh/due-store.ts';
import { workInTurns } from '../refresh/work-in-turns.ts';
import type { KeyVerifier } from './key-verifier.ts';
import { listDueKeys } from './verification-store.ts';

export const VERIFY_EVERY_MS = 30_000;

/** A failed run isn't retried. Keys that it didn't verify are still due in the next run. */
export const verifyDue = defineJob({ name: 'verify-due', payload: Type.Object({}), attempts: 1 });

export const handleVerifyDue =
  ({ database, clock, log }: IntegrationsContext, verifier: KeyVerifier) =>
  (): Promise<void> =>
    workInTurns({
      listProviders: () => listProvidersWith(database, 'verify_due_at'),
      listDue: (provider, limit) => listDueKeys(database, { provider, now: clock.now(), limit }),
      work: (key) =>
        verifier.verify(key).catch((err) => log.warn({ err, provider: key.provider }, 'a key could not be verified')),
    });
