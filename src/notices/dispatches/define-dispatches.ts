import { defineJob, type EnqueueOptions, type Jobs } from '../../jobs/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { type Dispatch, DispatchAttempt, type Send, type Unsent } from './dispatch.ts';
import { createLedger, type DispatchRow, type OwnFields } from './dispatch-store.ts';
import { type SendingContext, sendDispatch } from './send-dispatch.ts';

type Definition<Row extends DispatchRow> = {
  /** Names its jobs. */
  noun: string;
  /** The noun with its article, for the log. */
  called: string;
  /** Where its dispatches are, and the fields that only this table has. */
  table: string;
  own: OwnFields<Row>;
  /** After this, it isn't news anymore. */
  givenUpAfterMs?: number;
};

/**
 * One kind of message, like a report: its rows, its jobs, and how each dispatch is sent, once. A job is one attempt. The row
 * records the other side's response and when the next attempt is due; the job's own retries are for failures on our side.
 */
export const defineDispatches = <Row extends DispatchRow>({ noun, table, own, ...named }: Definition<Row>) => {
  const ledger = createLedger<Row>(table, own);
  // The timeout is longer than any the mailer has.
  const mail = defineJob({ name: `send-${noun}`, payload: DispatchAttempt, concurrency: 4, timeoutMs: 5 * 60_000 });
  // Slack must not wait for a mail server that doesn't respond.
  const slack = defineJob({ name: `post-${noun}`, payload: DispatchAttempt, concurrency: 4 });

  /** `behind`: how many of the same team are sent before it. */
  const enqueue = async (
    { jobs }: Pick<SendingContext, 'jobs'>,
    tx: Transaction,
    { teamId, id, attempts, channel }: Dispatch,
    options: Omit<EnqueueOptions, 'key'> = {},
  ): Promise<void> => {
    const attempt = attempts + 1;
    const job = channel === 'slack' ? slack : mail;
    await jobs.enqueue(tx, job, { teamId, dispatchId: id, attempt }, { key: `${id} ${attempt}`, ...options });
  };

  const kind = { ...named, ledger, enqueue };
  return {
    ledger,
    enqueue,
    /** In the transaction of what it says, so that sending it is neither forgotten nor done twice. */
    async queue(context: SendingContext, tx: Transaction, dispatches: readonly Row[]): Promise<void> {
      for (const [behind, dispatch] of dispatches.entries())
        if ((await ledger.insert(tx, dispatch)) === 1 && dispatch.state === 'queued')
          await enqueue(context, tx, dispatch, { behind });
    },
    send: (context: SendingContext, attempt: DispatchAttempt, prepare: (dispatch: Row) => Promise<Send | Unsent>) =>
      sendDispatch(context, kind, attempt, prepare),
    /** Called where the room is built. */
    handle({ handle }: Jobs, attempt: (dispatch: DispatchAttempt) => Promise<void>): void {
      for (const job of [mail, slack]) handle(job, attempt);
    },
  };
};
