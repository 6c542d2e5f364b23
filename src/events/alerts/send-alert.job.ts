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

export const enqueueDispatch = async (
  { jobs }: Pick<AlertsContext, 'jobs'>,
  tx: Transaction,
  { teamId, id, attempts }: AlertDispatch,
  delayMs = 0,
): Promise<void> => {
  const attempt = attempts + 1;
  await jobs.enqueue(tx, sendAlertJob, { teamId, dispatchId: id, attempt }, { key: `${id} ${attempt}`, delayMs });
};
