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

/** The same for Slack: it must not wait for a mail server that doesn't respond. */
export const postReportJob = defineJob({ name: 'post-report', payload: Attempt, concurrency: 4 });

/** `behind`: how many of the same team are sent before it. */
export const enqueueDispatch = async (
  { jobs }: ReportsContext,
  tx: Transaction,
  { teamId, id, attempts, channel }: Dispatch,
  options: { delayMs?: number; behind?: number } = {},
): Promise<void> => {
  const attempt = attempts + 1;
  const job = channel === 'slack' ? postReportJob : sendReportJob;
  await jobs.enqueue(tx, job, { teamId, dispatchId: id, attempt }, { key: `${id} ${attempt}`, ...options });
};
