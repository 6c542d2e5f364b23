import { adminOnly, type Caller } from '../../http/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { type AuditActor, callerRemoved, lockAdmin, lockTeam, recordAudit } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { getEndpoint } from '../endpoints/endpoint-store.ts';
import { alertUnknown } from '../errors.ts';
import {
  ALERT_KINDS,
  type Alert,
  type AlertSettings,
  type AlertWish,
  CHANNELS,
  CHOSEN_KINDS,
  completeSettings,
  isWanted,
  kindsFor,
} from './alert.ts';
import {
  countOpenAlerts,
  deleteCallAlerts,
  deleteCallAlertsBefore,
  deleteResolvedBefore,
  forgetAlertsOfKind,
  listOpenAlerts,
  listOpenCalls,
  markDismissed,
  type Reader,
} from './alert-store.ts';
import { getSettings, lockAlerts, putSettings } from './alert-team-store.ts';

const MOST_LISTED = 100;

export const showAlertSettings = ({ database }: EventsContext, teamId: string): Promise<AlertSettings> =>
  getSettings(database, teamId);

/** Which alerts are on in `after` but not in `before`: "voicemail by mail". */
const listAdded = (before: AlertSettings, after: AlertSettings): string[] =>
  CHOSEN_KINDS.flatMap((kind) => {
    const sent = CHANNELS.filter((channel) => after[kind][channel] && !before[kind][channel]);
    const isOnlyShown = after[kind].pages && !before[kind].pages && sent.length === 0;
    return [...(isOnlyShown ? [`${kind} on the pages`] : []), ...sent.map((channel) => `${kind} by ${channel}`)];
  });

/** Saves a team's settings, and deletes open alerts that the team no longer wants. */
export const setAlertSettings = (
  context: EventsContext,
  teamId: string,
  actor: AuditActor,
  wish: AlertWish,
): Promise<void> =>
  context.database.transaction(async (tx) => {
    if (!(await lockTeam(tx, teamId))) throw callerRemoved();
    await lockAdmin(tx, teamId, actor);
    await lockAlerts(tx, teamId);
    const before = await getSettings(tx, teamId);
    const settings = completeSettings({ ...before, ...wish });
    await putSettings(tx, teamId, settings);
    for (const kind of ALERT_KINDS) if (!isWanted(settings, kind)) await forgetAlertsOfKind(tx, teamId, kind);
    const detail = { on: listAdded(before, settings), off: listAdded(settings, before) };
    if (detail.on.length + detail.off.length > 0)
      await recordAudit(context, tx, teamId, actor, { action: 'event_alerts.change', detail });
  });

/**
 * Hides an alert. If its cause is resolved and then happens again, a new alert is opened. Only an admin can dismiss the
 * operator's alerts, which the first team sees, and those that only admins see.
 */
export const dismissAlert = (
  context: EventsContext,
  { teamId, role }: Pick<Caller, 'teamId' | 'role'>,
  actor: AuditActor,
  id: string,
): Promise<void> =>
  context.database.transaction(async (tx) => {
    const dismissed = await markDismissed(tx, teamId, id, context.clock.now());
    if (!dismissed) throw alertUnknown();
    const { kind, subject } = dismissed;
    if (!kindsFor(role).includes(kind)) throw alertUnknown();
    const isOperators =
      kind === 'backup' || (kind === 'endpoint' && (await getEndpoint(tx, { teamId, forOperator: true }, subject)));
    if (isOperators && role !== 'admin') throw adminOnly();
    const entry = { action: 'event_alerts.dismiss', target: id, detail: { kind } };
    await recordAudit(context, tx, teamId, actor, entry);
  });

/** Counts the open alerts that a person sees, up to a hundred. */
export const countAlerts = ({ database }: EventsContext, reader: Reader): Promise<number> =>
  countOpenAlerts(database, reader, MOST_LISTED);

/** Lists the open alerts that a person sees, newest first, and says whether there are more. */
export const listOpen = async (
  { database }: EventsContext,
  reader: Reader,
): Promise<{ alerts: Alert[]; hasMore: boolean }> => {
  const found = await listOpenAlerts(database, reader, MOST_LISTED + 1);
  return { alerts: found.slice(0, MOST_LISTED), hasMore: found.length > MOST_LISTED };
};

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
/** How long an alert about a call stays open. */
const CALLS_OPEN_MS = 7 * DAY_MS;

export const pruneAlerts = async ({ database, clock }: EventsContext): Promise<void> => {
  const now = clock.now();
  await deleteCallAlertsBefore(database, now - CALLS_OPEN_MS);
  await deleteResolvedBefore(database, now - KEPT_MS);
};

/**
 * Closes alerts about calls without telling anyone. Runs in the transaction that erases the calls or their recordings.
 * Locks the team's alerts first, so that another transaction can't open an alert about these calls at the same time.
 */
export const closeCallAlerts = async (tx: Transaction, teamId: string, callIds: readonly string[]): Promise<void> => {
  await lockAlerts(tx, teamId);
  if (callIds.length > 0) await deleteCallAlerts(tx, teamId, callIds);
};

/** Closes alerts about some calls without telling anyone. `pick` chooses from all calls with open alerts. */
export const closeSomeCallAlerts = async (
  tx: Transaction,
  teamId: string,
  pick: (callIds: readonly string[]) => Promise<string[]>,
): Promise<void> => {
  await lockAlerts(tx, teamId);
  const open = await listOpenCalls(tx, teamId);
  if (open.length > 0) await closeCallAlerts(tx, teamId, await pick(open));
};
