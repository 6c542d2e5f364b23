import type { Static } from 'typebox';
import { defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import type { Dispatch } from '../ledger/dispatch.ts';
import type { ReportsContext } from '../week/context.ts';

const Attempt = Type.Object({ teamId: Type.String(), dispatchId: Type.String(), attempt: Type.Integer() });
export type Attempt = Static<typeof Attempt>;

/**
 * One attempt at one dispatch. The row records the other side's response and when the next attempt is due; the job's
 * own retries are for failures on our side. The timeout is longer than any the mailer has.
 */
export const sendReportJob = defineJob({
  name: 'send-report',
  payload: Attempt,
  concurrency: 4,
  timeoutMs: 5 * 60_000,
});

export const enqueueDispatch = async (
  { jobs }: ReportsContext,
  tx: Transaction,
  { teamId, id, attempts }: Dispatch,
  delayMs = 0,
): Promise<void> => {
  const attempt = attempts + 1;
  await jobs.enqueue(tx, sendReportJob, { teamId, dispatchId: id, attempt }, { key: `${id} ${attempt}`, delayMs });
};
