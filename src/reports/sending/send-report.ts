import { Discard, type DispatchAttempt } from '../../jobs/index.ts';
import { type DispatchFailure, nextWaitMs, sendOnce } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { getReport } from '../figures/report-store.ts';
import { viewReport } from '../figures/view-report.ts';
import type { Dispatch, DispatchState } from '../ledger/dispatch.ts';
import { beginSending, getDispatch, isUnsubscribed, settleDispatch } from '../ledger/dispatch-store.ts';
import { hashRecipient } from '../ledger/recipient.ts';
import { prepareSlack } from '../slack/prepare-slack.ts';
import { listAddresses } from './list-recipients.ts';
import { prepareMail } from './prepare-mail.ts';
import { reportJobs } from './send-report.job.ts';

/** As many as a team has recipients: whatever failed before waits for everyone's first tries. */
const AFTER_FIRST_TRIES = 100;

/** Null if another process is already sending it. */
const send = async (context: ReportsContext, dispatch: Dispatch) => {
  const { database } = context;
  const { teamId, week, channel } = dispatch;
  const [report, team] = [await getReport(database, teamId, week), await getTeam(database, teamId)];
  if (!report || !team) throw new Discard('The report or its team no longer exists.');
  const prepare = channel === 'slack' ? prepareSlack : prepareMail;
  const sendNow = await prepare(context, dispatch, await viewReport(context, team, report));
  return sendOnce(sendNow, () => beginSending(database, dispatch));
};

const settleFailure = async (context: ReportsContext, dispatch: Dispatch, failure: DispatchFailure): Promise<void> => {
  const { database, clock, log } = context;
  const { kind, problem } = failure;
  const { id, channel, attempts } = dispatch;
  const now = clock.now();
  const waitMs = kind === 'later' ? nextWaitMs(dispatch, failure, now) : null;
  log.warn({ dispatch: id, channel, problem, triesAgain: waitMs !== null }, 'a report could not be sent');
  if (waitMs === null) {
    await settleDispatch(database, dispatch, { state: kind === 'unclear' ? 'unclear' : 'failed', problem });
    return;
  }
  await database.transaction(async (tx) => {
    const waiting = { state: 'queued', problem, nextTryAt: now + waitMs } as const;
    const again = { delayMs: waitMs, behind: AFTER_FIRST_TRIES };
    if ((await settleDispatch(tx, dispatch, waiting)) === 1)
      await reportJobs.enqueue(context, tx, { ...dispatch, attempts: attempts + 1 }, again);
  });
};

/** Anyone removed from the list while it waited gets nothing. */
const isRecipient = async (context: ReportsContext, { teamId, channel, recipientHash }: Dispatch): Promise<boolean> => {
  if (channel !== 'mail') return true;
  const team = await getTeam(context.database, teamId);
  const addresses = team ? await listAddresses(context, team) : [];
  const hashes = await Promise.all(addresses.map((address) => hashRecipient(context.vault, teamId, address)));
  return hashes.includes(recipientHash);
};

const NO_RECIPIENT = 'The recipient was removed from the list before the report was sent.';
const INTERRUPTED: DispatchFailure = { kind: 'unclear', problem: 'Sending was interrupted.' };

export const sendReport = async (
  context: ReportsContext,
  { teamId, dispatchId, attempt }: DispatchAttempt,
): Promise<void> => {
  const { database, clock } = context;
  const dispatch = await getDispatch(database, teamId, dispatchId);
  if (dispatch?.attempts !== attempt - 1) return;
  // A process ended between sending it and recording that. It may have arrived, so it isn't sent again.
  if (dispatch.state === 'sending') return settleFailure(context, dispatch, INTERRUPTED);
  if (dispatch.state !== 'queued') return;
  const settle = async (state: DispatchState, rest: { problem?: string; sentAt?: number } = {}): Promise<void> => {
    await settleDispatch(database, dispatch, { state, problem: null, ...rest });
  };
  if (await isUnsubscribed(database, teamId, dispatch.recipientHash)) return settle('unsubscribed');
  if (!(await isRecipient(context, dispatch))) return settle('skipped', { problem: NO_RECIPIENT });
  const sent = await send(context, dispatch);
  if (sent?.failure) return settleFailure(context, dispatch, sent.failure);
  if (sent) return settle('sent', { sentAt: clock.now() });
};
