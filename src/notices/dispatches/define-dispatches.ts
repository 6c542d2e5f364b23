import { defineJob, type EnqueueOptions, type Jobs } from '../../jobs/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { type Dispatch, DispatchAttempt, type Send, type Unsent } from './dispatch.ts';
import { createLedger, type DispatchRow, type OwnFields } from './dispatch-store.ts';
import { type SendingContext, sendDispatch } from './send-dispatch.ts';

type Definition<Row extends DispatchRow> = {
  /** Part of the job names: `send-<noun>` and `post-<noun>`. */
  noun: string;
  /** The noun with its article, for log messages. */
  called: string;
  /** The table that holds the dispatches. `own`: the fields that only this table has. */
  table: string;
  own: OwnFields<Row>;
  /** How long sending is retried. After that, the message is no longer news. */
  givenUpAfterMs?: number;
};

/**
 * Defines one kind of message, like a report: its rows, its jobs, and how each dispatch is sent exactly once. Each
 * attempt is a job of its own. If the receiver fails, the row says when the next attempt is due. Only a failure on our
 * side makes the same job run again.
 */
export const defineDispatches = <Row extends DispatchRow>({ noun, table, own, ...named }: Definition<Row>) => {
  const ledger = createLedger<Row>(table, own);
  // This timeout is longer than any of the mailer's own.
  const mail = defineJob({ name: `send-${noun}`, payload: DispatchAttempt, concurrency: 4, timeoutMs: 5 * 60_000 });
  // A separate job, so that Slack never waits for a mail server that doesn't respond.
  const slack = defineJob({ name: `post-${noun}`, payload: DispatchAttempt, concurrency: 4 });

  /** Enqueues the next attempt. `behind`: how many dispatches of the same team go before this one. */
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
    /** Runs in the transaction that creates the message, so that sending is neither forgotten nor done twice. */
    async queue(context: SendingContext, tx: Transaction, dispatches: readonly Row[]): Promise<void> {
      for (const [behind, dispatch] of dispatches.entries())
        if ((await ledger.insert(tx, dispatch)) === 1 && dispatch.state === 'queued')
          await enqueue(context, tx, dispatch, { behind });
    },
    send: (context: SendingContext, attempt: DispatchAttempt, prepare: (dispatch: Row) => Promise<Send | Unsent>) =>
      sendDispatch(context, kind, attempt, prepare),
    /** Registers the handler of both jobs. Called at startup. */
    handle({ handle }: Jobs, attempt: (dispatch: DispatchAttempt) => Promise<void>): void {
      for (const job of [mail, slack]) handle(job, attempt);
    },
  };
};
