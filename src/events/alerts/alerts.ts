import { type AuditActor, callerGone, lockTeam, recordAudit } from '../../teams/index.ts';
import type { EventsContext } from '../log/context.ts';
import { ALERT_KINDS, type AlertSettings, CHANNELS, CHOSEN_KINDS, isWanted } from './alert.ts';
import { countOpenAlerts, forgetAlertsOfKind, listOpenAlerts } from './alert-store.ts';
import { getSettings, lockAlerts, putSettings } from './alert-team-store.ts';
import { type DescribedAlert, describeAlert } from './describe-alert.ts';

const MOST_LISTED = 100;

export const showAlertSettings = ({ database }: EventsContext, teamId: string): Promise<AlertSettings> =>
  getSettings(database, teamId);

/** Which alerts one has on and the other doesn't: "voicemail by mail". */
const listAdded = (before: AlertSettings, after: AlertSettings): string[] =>
  CHOSEN_KINDS.flatMap((kind) =>
    CHANNELS.filter((channel) => after[kind][channel] && !before[kind][channel]).map(
      (channel) => `${kind} by ${channel}`,
    ),
  );

/** What is no longer wanted is forgotten. */
export const setAlertSettings = (
  context: EventsContext,
  teamId: string,
  actor: AuditActor,
  settings: AlertSettings,
): Promise<void> =>
  context.database.transaction(async (tx) => {
    if (!(await lockTeam(tx, teamId))) throw callerGone();
    await lockAlerts(tx, teamId);
    const before = await getSettings(tx, teamId);
    await putSettings(tx, teamId, settings);
    for (const kind of ALERT_KINDS) if (!isWanted(settings, kind)) await forgetAlertsOfKind(tx, teamId, kind);
    const detail = { on: listAdded(before, settings), off: listAdded(settings, before) };
    if (detail.on.length + detail.off.length > 0)
      await recordAudit(context, tx, teamId, actor, { action: 'event_alerts.change', detail });
  });

/** No further than a hundred. */
export const countAlerts = ({ database }: EventsContext, teamId: string): Promise<number> =>
  countOpenAlerts(database, teamId, MOST_LISTED);

/** What is open, the newest first, and whether there is more. */
export const listAlerts = async (
  context: EventsContext,
  teamId: string,
): Promise<{ alerts: DescribedAlert[]; hasMore: boolean }> => {
  const found = await listOpenAlerts(context.database, teamId, MOST_LISTED + 1);
  const alerts: DescribedAlert[] = [];
  for (const alert of found.slice(0, MOST_LISTED)) alerts.push(await describeAlert(context, alert));
  return { alerts, hasMore: found.length > MOST_LISTED };
};
