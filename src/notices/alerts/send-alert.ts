import type { Alert } from '../../events/index.ts';
import { Discard } from '../../jobs/index.ts';
import { getTeam, listProvedAdminAddresses } from '../../teams/index.ts';
import type { NoticesContext } from '../context.ts';
import type { DispatchAttempt, Send, Unsent } from '../dispatches/dispatch.ts';
import { prepareSlackPost } from '../slack/prepare-slack-post.ts';
import { type AlertDispatch, alertDispatches, hashAlertRecipient } from './alert-dispatches.ts';
import { type DescribedAlert, describeForMessage } from './describe-alert.ts';
import type { Notice } from './notice.ts';
import { renderAlertMail } from './render-alert-mail.ts';
import { renderAlertSlack } from './render-alert-slack.ts';

/** How many opened alerts, and how many resolved ones, a message lists. It only gives the number of the rest. */
const MOST_LISTED = 20;

const describeAll = async (context: NoticesContext, alerts: readonly Alert[]): Promise<DescribedAlert[]> => {
  const described: DescribedAlert[] = [];
  for (const alert of alerts) described.push(await describeForMessage(context, alert));
  return described;
};

/** Reads the alerts of a notice as they are now. Null if all of them were resolved or turned off since. */
const loadNotice = async (context: NoticesContext, dispatch: AlertDispatch): Promise<Notice | null> => {
  const { database, events, url } = context;
  const { teamId, leftOut } = dispatch;
  const team = await getTeam(database, teamId);
  if (!team) throw new Discard('The team no longer exists.');
  const { opened, resolved } = await events.alerts.readNotice(dispatch, MOST_LISTED);
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

/** Finds the admin's email address by its hash. Null if the person is no longer an admin. */
const findAddress = async (
  { database, vault }: NoticesContext,
  { teamId, recipientHash }: AlertDispatch,
): Promise<string | null> => {
  for (const address of await listProvedAdminAddresses(database, teamId))
    if ((await hashAlertRecipient(vault, teamId, address)) === recipientHash) return address;
  return null;
};

const prepare = async (context: NoticesContext, dispatch: AlertDispatch): Promise<Send | Unsent> => {
  const { mailer, url } = context;
  const { id, teamId, channel } = dispatch;
  const notice = await loadNotice(context, dispatch);
  if (!notice) return { state: 'skipped' };
  if (channel === 'slack') return prepareSlackPost(context, teamId, renderAlertSlack(notice));
  const to = await findAddress(context, dispatch);
  if (!mailer || to === null) return { state: 'skipped' };
  // The same message ID on each attempt, so that a mail client can spot a duplicate.
  const mail = { ...renderAlertMail(notice), to, messageId: `<alert-${id}@${new URL(url).hostname}>` };
  return (begin) => mailer.send(mail, begin);
};

export const sendAlert = (context: NoticesContext, attempt: DispatchAttempt): Promise<void> =>
  alertDispatches.send(context, attempt, (dispatch) => prepare(context, dispatch));
