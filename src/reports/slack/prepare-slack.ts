import type { ReportView } from '../figures/view-report.ts';
import type { Dispatch, Send } from '../ledger/dispatch.ts';
import { renderSlack } from '../rendering/render-slack.ts';
import type { ReportsContext } from '../week/context.ts';
import { postToSlack } from './post-to-slack.ts';
import { openSlackAddress } from './slack-address.ts';
import { getSlackAddress } from './slack-address-store.ts';

/** Uses the team's webhook URL at the time of sending, which may be newer than the report. */
export const prepareSlack = async (
  context: ReportsContext,
  { teamId }: Dispatch,
  report: ReportView,
): Promise<Send> => {
  const { database, vault, url } = context;
  const row = await getSlackAddress(database, teamId);
  if (!row) return async () => ({ kind: 'refused', problem: 'Slack is no longer set up for this team.' });
  const address = await openSlackAddress(vault, teamId, row.address);
  const message = renderSlack(report, { report: `${url}/reports/${report.week}` });
  return async (begin) => {
    await begin();
    return postToSlack(context, address, message);
  };
};
