import type { Caller } from '../../http/index.ts';
import type { NoticesContext } from '../context.ts';
import { type DescribedAlert, describeAlert } from './describe-alert.ts';

/** Lists the open alerts that a person sees, newest first, and says whether there are more. */
export const listAlerts = async (
  context: NoticesContext,
  reader: Pick<Caller, 'teamId' | 'role'>,
): Promise<{ alerts: DescribedAlert[]; hasMore: boolean }> => {
  const { alerts: open, hasMore } = await context.events.alerts.listOpen(reader);
  const alerts: DescribedAlert[] = [];
  for (const alert of open) alerts.push(await describeAlert(context, alert));
  return { alerts, hasMore };
};
