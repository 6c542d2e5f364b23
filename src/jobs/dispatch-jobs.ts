import type { Static } from 'typebox';
import { type Transaction, Type } from '../platform/index.ts';
import { defineJob } from './job-definition.ts';
import type { EnqueueOptions, Jobs } from './jobs.ts';

const DispatchAttempt = Type.Object({ teamId: Type.String(), dispatchId: Type.String(), attempt: Type.Integer() });
export type DispatchAttempt = Static<typeof DispatchAttempt>;

/** What is sent to one recipient. `attempts` counts those that are over. */
type Dispatch = { teamId: string; id: string; attempts: number; channel: 'mail' | 'slack' };

/**
 * One attempt at one dispatch of something, like `report`. The row records the other side's response and when the next
 * attempt is due; the job's own retries are for failures on our side.
 */
export const defineDispatchJobs = (noun: string) => {
  // The timeout is longer than any the mailer has.
  const mail = defineJob({ name: `send-${noun}`, payload: DispatchAttempt, concurrency: 4, timeoutMs: 5 * 60_000 });
  // Slack must not wait for a mail server that doesn't respond.
  const slack = defineJob({ name: `post-${noun}`, payload: DispatchAttempt, concurrency: 4 });
  return {
    /** Called where the room is built. */
    handle({ handle }: Jobs, attempt: (dispatch: DispatchAttempt) => Promise<void>): void {
      for (const job of [mail, slack]) handle(job, attempt);
    },
    /** `behind`: how many of the same team are sent before it. */
    async enqueue(
      { jobs }: { jobs: Pick<Jobs, 'enqueue'> },
      tx: Transaction,
      { teamId, id, attempts, channel }: Dispatch,
      options: Omit<EnqueueOptions, 'key'> = {},
    ): Promise<void> {
      const attempt = attempts + 1;
      const job = channel === 'slack' ? slack : mail;
      await jobs.enqueue(tx, job, { teamId, dispatchId: id, attempt }, { key: `${id} ${attempt}`, ...options });
    },
  };
};
