import { defineJob } from '../../jobs/index.ts';
import { deleteExpiredIssued } from '../../oauth/index.ts';
import { Type } from '../../platform/index.ts';
import type { IntegrationsContext } from '../context.ts';

export const PRUNE_SANDBOX_EVERY_MS = 3_600_000;

export const pruneSandbox = defineJob({ name: 'prune-sandbox', payload: Type.Object({}) });

/** Deletes expired rows, even if the sandbox is off now, because it may have been on before. */
export const handlePruneSandbox =
  ({ database, clock }: Pick<IntegrationsContext, 'database' | 'clock'>) =>
  async (): Promise<void> => {
    await deleteExpiredIssued(database, 'sandbox_issued', clock.now());
  };
