import { defineJob, type Jobs } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import type { ReportDelivery } from '../ledger/report-delivery.ts';

/**
 * One attempt at one delivery. The row records the other side's response and when the next attempt is due; the job's
 * own retries are for failures on our side. The timeout is longer than any the mailer has.
 */
export const sendReport = defineJob({
  name: 'send-report',
  payload: Type.Object({ teamId: Type.String(), deliveryId: Type.String(), attempt: Type.Integer() }),
  concurrency: 4,
  timeoutMs: 5 * 60_000,
});

export type EnqueueDependencies = { jobs: Pick<Jobs, 'enqueue'> };

export const enqueueDelivery = async (
  { jobs }: EnqueueDependencies,
  tx: Transaction,
  { teamId, id, attempts }: Pick<ReportDelivery, 'teamId' | 'id' | 'attempts'>,
  delayMs = 0,
): Promise<void> => {
  const attempt = attempts + 1;
  await jobs.enqueue(tx, sendReport, { teamId, deliveryId: id, attempt }, { key: `${id} ${attempt}`, delayMs });
};
