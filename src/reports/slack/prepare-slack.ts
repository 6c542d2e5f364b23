import type { Outbound } from '../../platform/index.ts';
import { type OpenReportDependencies, openReport } from '../figures/open-report.ts';
import type { ReportDelivery, Send } from '../ledger/report-delivery.ts';
import { renderSlack } from '../rendering/slack-blocks.ts';
import { postToSlack } from './post-to-slack.ts';
import { openSlackAddress } from './slack-address.ts';
import { getSlackAddress } from './slack-address-store.ts';

export type PrepareSlackDependencies = OpenReportDependencies & { outbound: Outbound };

/** To the address that the team has when it is sent: one that was set meanwhile is the one that is wanted. */
export const prepareSlack = async (dependencies: PrepareSlackDependencies, delivery: ReportDelivery): Promise<Send> => {
  const { database, vault } = dependencies;
  const { teamId } = delivery;
  const row = await getSlackAddress(database, teamId);
  if (!row) return async () => ({ kind: 'refused', problem: 'The team has no address for Slack any more.' });
  const { view, link } = await openReport(dependencies, delivery);
  const address = await openSlackAddress(vault, teamId, row.address);
  const message = renderSlack(view, { report: link });
  return async (begin) => {
    await begin();
    return postToSlack(dependencies, address, message);
  };
};
