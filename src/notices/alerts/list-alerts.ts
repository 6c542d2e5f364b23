import type { NoticesContext } from '../context.ts';
import { type DescribedAlert, describeAlert } from './describe-alert.ts';

/** Lists open alerts, newest first, and says whether there are more. */
export const listAlerts = async (
  context: NoticesContext,
  teamId: string,
): Promise<{ alerts: DescribedAlert[]; hasMore: boolean }> => {
  const { alerts: open, hasMore } = await context.events.alerts.listOpen(teamId);
  const alerts: DescribedAlert[] = [];
  for (const alert of open) alerts.push(await describeAlert(context, alert));
  return { alerts, hasMore };
};
