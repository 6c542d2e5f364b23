import type { NoticesContext } from '../context.ts';
import { type DescribedAlert, describeAlert } from './describe-alert.ts';

/** What is open, the newest first, and whether there is more. */
export const listAlerts = async (
  context: NoticesContext,
  teamId: string,
): Promise<{ alerts: DescribedAlert[]; hasMore: boolean }> => {
  const { alerts: open, hasMore } = await context.events.alerts.listOpen(teamId);
  const alerts: DescribedAlert[] = [];
  for (const alert of open) alerts.push(await describeAlert(context, alert));
  return { alerts, hasMore };
};
