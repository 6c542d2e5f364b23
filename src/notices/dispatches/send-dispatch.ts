import type { EnqueueOptions, Jobs } from '../../jobs/index.ts';
import type { Clock, Database, Log, Transaction } from '../../platform/index.ts';
import {
  type Dispatch,
  type DispatchAttempt,
  type DispatchFailure,
  nextDispatchWaitMs,
  type Send,
  type Unsent,
} from './dispatch.ts';
import type { DispatchRow, Ledger } from './dispatch-store.ts';

export type SendingContext = { database: Database; clock: Clock; log: Log; jobs: Pick<Jobs, 'enqueue'> };

/** The part of `defineDispatches` that sending needs. */
type DispatchKind<Row extends DispatchRow> = {
  called: string;
  givenUpAfterMs?: number;
  ledger: Ledger<Row>;
  enqueue(context: SendingContext, tx: Transaction, dispatch: Dispatch, options: EnqueueOptions): Promise<void>;
};

/** Puts a retry behind the first attempts to all of a team's recipients, of which there are at most this many. */
const AFTER_FIRST_TRIES = 100;

const INTERRUPTED: DispatchFailure = { kind: 'unclear', problem: 'Sending was interrupted.' };

class Overtaken extends Error {}

/** Sends a dispatch unless another process is sending it. In that case, returns undefined. */
const sendOnce = async (send: Send, begin: () => Promise<number>): Promise<DispatchFailure | null | undefined> => {
  try {
    return await send(async () => {
      if ((await begin()) === 0) throw new Overtaken();
    });
  } catch (error) {
    if (error instanceof Overtaken) return undefined;
    throw error;
  }
};

/** Schedules the next attempt, in the transaction that records the failure, or gives up. */
const settleFailure = async <Row extends DispatchRow>(
  context: SendingContext,
  { called, ledger, enqueue, givenUpAfterMs }: DispatchKind<Row>,
  dispatch: Row,
  failure: DispatchFailure,
): Promise<void> => {
  const { database, clock, log } = context;
  const { kind, problem } = failure;
  const { id, channel, attempts } = dispatch;
  const now = clock.now();
  const waitMs = kind === 'later' ? nextDispatchWaitMs(dispatch, failure, now, givenUpAfterMs) : null;
  log.warn({ dispatch: id, channel, problem, triesAgain: waitMs !== null }, `${called} could not be sent`);
  if (waitMs === null) {
    await ledger.settle(database, dispatch, { state: kind === 'unclear' ? 'unclear' : 'failed', problem });
    return;
  }
  const again = { delayMs: waitMs, behind: AFTER_FIRST_TRIES };
  await database.transaction(async (tx) => {
    if ((await ledger.settle(tx, dispatch, { state: 'queued', problem, nextTryAt: now + waitMs })) === 1)
      await enqueue(context, tx, { ...dispatch, attempts: attempts + 1 }, again);
  });
};

/** Makes this attempt, unless it was already made. `prepare` returns what to send now, or why nothing is sent. */
export const sendDispatch = async <Row extends DispatchRow>(
  context: SendingContext,
  kind: DispatchKind<Row>,
  { teamId, dispatchId, attempt }: DispatchAttempt,
  prepare: (dispatch: Row) => Promise<Send | Unsent>,
): Promise<void> => {
  const { database, clock } = context;
  const { ledger } = kind;
  const dispatch = await ledger.get(database, teamId, dispatchId);
  if (dispatch?.attempts !== attempt - 1) return;
  // A process began to send and stopped before it stored the result. The message may have arrived, so don't send it
  // again.
  if (dispatch.state === 'sending') return settleFailure(context, kind, dispatch, INTERRUPTED);
  if (dispatch.state !== 'queued') return;
  const prepared = await prepare(dispatch);
  if (typeof prepared !== 'function') {
    await ledger.settle(database, dispatch, prepared);
    return;
  }
  const failure = await sendOnce(prepared, () => ledger.beginSending(database, dispatch));
  if (failure) return settleFailure(context, kind, dispatch, failure);
  if (failure === null) await ledger.settle(database, dispatch, { state: 'sent', sentAt: clock.now() });
};
