import type { Send, SlackMessage } from '../../platform/index.ts';
import type { ReportsContext } from '../context.ts';
import type { ReportView } from '../figures/view-report.ts';
import type { Dispatch } from '../ledger/dispatch.ts';
import { renderSlack } from '../rendering/render-slack.ts';
import { postToSlack } from './post-to-slack.ts';
import { openSlackAddress } from './slack-address.ts';
import { getSlackAddress } from './slack-address-store.ts';

/** Uses the team's webhook URL at the time of sending. */
export const prepareSlackPost = async (
  context: ReportsContext,
  teamId: string,
  message: SlackMessage,
): Promise<Send> => {
  const { database, vault } = context;
  const row = await getSlackAddress(database, teamId);
  if (!row) return async () => ({ kind: 'refused', problem: 'Slack is no longer set up for this team.' });
  const address = await openSlackAddress(vault, teamId, row.address);
  return async (begin) => {
    await begin();
    return postToSlack(context, address, message);
  };
};

export const prepareSlack = (context: ReportsContext, { teamId }: Dispatch, report: ReportView): Promise<Send> =>
  prepareSlackPost(context, teamId, renderSlack(report, { report: `${context.url}/reports/${report.week}` }));
