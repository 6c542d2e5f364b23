import { Discard } from '../../jobs/index.ts';
import { type DispatchAttempt, prepareSlackPost, type Send, type Unsent } from '../../notices/index.ts';
import { getTeam, type Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { getReport } from '../figures/report-store.ts';
import { viewReport } from '../figures/view-report.ts';
import { isUnsubscribed } from '../ledger/dispatch-store.ts';
import { hashRecipient } from '../ledger/recipient.ts';
import { type ReportDispatch, reportDispatches } from '../ledger/report-dispatches.ts';
import { renderSlack } from '../rendering/render-slack.ts';
import { listAddresses } from './list-recipients.ts';
import { prepareMail } from './prepare-mail.ts';

/** Checks the recipients again, so that a person who was removed since the report was queued gets nothing. */
const isRecipient = async (
  context: ReportsContext,
  team: Team | undefined,
  { teamId, channel, recipientHash }: ReportDispatch,
): Promise<boolean> => {
  if (channel !== 'mail') return true;
  const addresses = team ? await listAddresses(context, team) : [];
  const hashes = await Promise.all(addresses.map((address) => hashRecipient(context.vault, teamId, address)));
  return hashes.includes(recipientHash);
};

const NO_RECIPIENT = 'The recipient was removed from the list before the report was sent.';

const prepare = async (context: ReportsContext, dispatch: ReportDispatch): Promise<Send | Unsent> => {
  const { database, url } = context;
  const { teamId, week, channel, recipientHash } = dispatch;
  if (await isUnsubscribed(database, teamId, recipientHash)) return { state: 'unsubscribed' };
  const team = await getTeam(database, teamId);
  if (!(await isRecipient(context, team, dispatch))) return { state: 'skipped', problem: NO_RECIPIENT };
  const report = await getReport(database, teamId, week);
  if (!report || !team) throw new Discard('The report or its team no longer exists.');
  const view = await viewReport(context, team, report);
  return channel === 'slack'
    ? prepareSlackPost(context, teamId, renderSlack(view, { report: `${url}/reports/${week}` }))
    : prepareMail(context, dispatch, view);
};

export const sendReport = (context: ReportsContext, attempt: DispatchAttempt): Promise<void> =>
  reportDispatches.send(context, attempt, (dispatch) => prepare(context, dispatch));
