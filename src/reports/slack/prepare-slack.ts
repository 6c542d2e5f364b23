import type { Outbound } from '../../platform/index.ts';
import { type OpenReportDependencies, openReport } from '../figures/open-report.ts';
import type { ReportDelivery, Send } from '../ledger/report-delivery.ts';
import { renderSlack } from '../rendering/slack-blocks.ts';
import { postToSlack } from './post-to-slack.ts';
import { openSlackAddress } from './slack-address.ts';
import { getSlackAddress } from './slack-address-store.ts';

export type PrepareSlackDependencies = OpenReportDependencies & { outbound: Outbound };

/** Uses the team's webhook URL at the time of sending, which may be newer than the report. */
export const prepareSlack = async (dependencies: PrepareSlackDependencies, delivery: ReportDelivery): Promise<Send> => {
  const { database, vault } = dependencies;
  const { teamId } = delivery;
  const row = await getSlackAddress(database, teamId);
  if (!row) return async () => ({ kind: 'refused', problem: 'Slack is no longer set up for this team.' });
  const { view, link } = await openReport(dependencies, delivery);
  const address = await openSlackAddress(vault, teamId, row.address);
  const message = renderSlack(view, { report: link });
  return async (begin) => {
    await begin();
    return postToSlack(dependencies, address, message);
  };
};
