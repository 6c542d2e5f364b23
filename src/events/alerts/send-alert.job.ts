import type { Static } from 'typebox';
import { defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import type { AlertDispatch } from './alert-dispatch-store.ts';
import type { AlertsContext } from './context.ts';

const Attempt = Type.Object({ teamId: Type.String(), dispatchId: Type.String(), attempt: Type.Integer() });
export type Attempt = Static<typeof Attempt>;

/** One attempt at one dispatch. The timeout is longer than any the mailer has. */
export const sendAlertJob = defineJob({
  name: 'send-alert',
  payload: Attempt,
  concurrency: 4,
  timeoutMs: 5 * 60_000,
});

/** The same for Slack: it must not wait for a mail server that doesn't respond. */
export const postAlertJob = defineJob({ name: 'post-alert', payload: Attempt, concurrency: 4 });

/** `behind`: how many of the same team are sent before it. */
export const enqueueDispatch = async (
  { jobs }: Pick<AlertsContext, 'jobs'>,
  tx: Transaction,
  { teamId, id, attempts, channel }: AlertDispatch,
  options: { delayMs?: number; behind?: number } = {},
): Promise<void> => {
  const attempt = attempts + 1;
  const job = channel === 'slack' ? postAlertJob : sendAlertJob;
  await jobs.enqueue(tx, job, { teamId, dispatchId: id, attempt }, { key: `${id} ${attempt}`, ...options });
};
