import { Discard, type DispatchAttempt } from '../../jobs/index.ts';
import { type DispatchFailure, nextWaitMs, type Send, sendOnce } from '../../platform/index.ts';
import { getTeam, listProvedAdminAddresses } from '../../teams/index.ts';
import { ALERT_KINDS, type Alert, channelsFor } from './alert.ts';
import { type AlertDispatch, beginSending, getDispatch, settleDispatch } from './alert-dispatch-store.ts';
import { listOpenedIn, listResolvedIn } from './alert-store.ts';
import { getSettings } from './alert-team-store.ts';
import type { AlertsContext } from './context.ts';
import { type DescribedAlert, describeForMessage } from './describe-alert.ts';
import type { Notice } from './notice.ts';
import { hashRecipient } from './queue-notices.ts';
import { renderAlertMail } from './render-alert-mail.ts';
import { renderAlertSlack } from './render-alert-slack.ts';
import { alertJobs } from './send-alert.job.ts';

/** Of each, opened and resolved. Others are counted. */
const MOST_LISTED = 20;
/** After a day, it isn't news anymore. */
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;

const describeAll = async (context: AlertsContext, alerts: readonly Alert[]): Promise<DescribedAlert[]> => {
  const described: DescribedAlert[] = [];
  for (const alert of alerts) described.push(await describeForMessage(context, alert));
  return described;
};

/** What there is to say now. Null if that's nothing: it was resolved or returned meanwhile, or isn't wanted anymore. */
const loadNotice = async (
  context: AlertsContext,
  { teamId, noticeId, channel, leftOut }: AlertDispatch,
): Promise<Notice | null> => {
  const { database, url } = context;
  const team = await getTeam(database, teamId);
  if (!team) throw new Discard('The team no longer exists.');
  const settings = await getSettings(database, teamId);
  const kinds = ALERT_KINDS.filter((kind) => channelsFor(settings, kind)[channel]);
  const opened = await listOpenedIn(database, teamId, noticeId, kinds, MOST_LISTED);
  const resolved = await listResolvedIn(database, teamId, noticeId, kinds, MOST_LISTED);
  if (opened.total + resolved.total + leftOut === 0) return null;
  return {
    team: team.name,
    opened: await describeAll(context, opened.alerts),
    resolved: await describeAll(context, resolved.alerts),
    more: {
      opened: opened.total - opened.alerts.length + leftOut,
      resolved: resolved.total - resolved.alerts.length,
    },
    links: { open: `${url}/alerts`, settings: `${url}/settings/alerts` },
  };
};

/** Null if they are no longer an admin. */
const findAddress = async (
  { database, vault }: AlertsContext,
  { teamId, recipientHash }: AlertDispatch,
): Promise<string | null> => {
  for (const address of await listProvedAdminAddresses(database, teamId))
    if ((await hashRecipient(vault, teamId, address.trim().toLowerCase())) === recipientHash) return address;
  return null;
};

/** Null if there's nobody to send it to. */
const prepare = async (context: AlertsContext, dispatch: AlertDispatch, notice: Notice): Promise<Send | null> => {
  const { mailer, slack, url } = context;
  const { id, teamId, channel } = dispatch;
  if (channel === 'slack') return slack.prepare(teamId, renderAlertSlack(notice));
  const to = await findAddress(context, dispatch);
  if (!mailer || to === null) return null;
  // The same each time, so that a mail client can spot a duplicate.
  const mail = { ...renderAlertMail(notice), to, messageId: `<alert-${id}@${new URL(url).hostname}>` };
  return (begin) => mailer.send(mail, begin);
};

const settleFailure = async (
  context: AlertsContext,
  dispatch: AlertDispatch,
  failure: DispatchFailure,
): Promise<void> => {
  const { database, clock, log } = context;
  const { kind, problem } = failure;
  const { id, channel, attempts } = dispatch;
  const waitMs = kind === 'later' ? nextWaitMs(dispatch, failure, clock.now(), GIVEN_UP_AFTER_MS) : null;
  log.warn({ dispatch: id, channel, problem, triesAgain: waitMs !== null }, 'an alert could not be sent');
  if (waitMs === null) {
    await settleDispatch(database, dispatch, { state: kind === 'unclear' ? 'unclear' : 'failed', problem });
    return;
  }
  await database.transaction(async (tx) => {
    if ((await settleDispatch(tx, dispatch, { state: 'queued', problem })) === 1)
      await alertJobs.enqueue(context, tx, { ...dispatch, attempts: attempts + 1 }, { delayMs: waitMs });
  });
};

const INTERRUPTED: DispatchFailure = { kind: 'unclear', problem: 'Sending was interrupted.' };

export const sendAlert = async (
  context: AlertsContext,
  { teamId, dispatchId, attempt }: DispatchAttempt,
): Promise<void> => {
  const { database, clock } = context;
  const dispatch = await getDispatch(database, teamId, dispatchId);
  if (dispatch?.attempts !== attempt - 1) return;
  // A process ended between sending it and recording that. It may have arrived, so it isn't sent again.
  if (dispatch.state === 'sending') return settleFailure(context, dispatch, INTERRUPTED);
  if (dispatch.state !== 'queued') return;
  const notice = await loadNotice(context, dispatch);
  const send = notice && (await prepare(context, dispatch, notice));
  if (!send) {
    await settleDispatch(database, dispatch, { state: 'skipped' });
    return;
  }
  const sent = await sendOnce(send, () => beginSending(database, dispatch));
  if (sent?.failure) return settleFailure(context, dispatch, sent.failure);
  if (sent) await settleDispatch(database, dispatch, { state: 'sent', sentAt: clock.now() });
};
