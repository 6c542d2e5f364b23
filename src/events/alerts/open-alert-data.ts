import { DatabaseUnavailable } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import { openUrl, shownUrlOf } from '../endpoints/endpoint-secrets.ts';
import { getEndpoint } from '../endpoints/endpoint-store.ts';
import { getEvent } from '../log/event-store.ts';
import { toEventView } from '../log/event-view.ts';
import { dataPlaceOf } from '../log/record-events.ts';
import type { Alert } from './alert.ts';

/**
 * The subject of an alert: an event's data, an endpoint's URL, or a backup's problem. `isOperators` says that the alert is
 * the operator's.
 */
export type AlertData = Readonly<Record<string, unknown>> | null;

const openText = async (
  { database, vault }: EventsContext,
  { teamId, kind, subject, eventId, text }: Alert,
): Promise<AlertData> => {
  if (kind === 'endpoint') {
    if (text === null) return null;
    const exists = async (forOperator: boolean): Promise<boolean> =>
      (await getEndpoint(database, { teamId, forOperator }, subject)) !== undefined;
    const url = shownUrlOf(await openUrl(vault, { id: subject, teamId, url: text }));
    return { url, isTeams: await exists(false), isOperators: await exists(true) };
  }
  if (kind === 'backup') return { problem: text, isOperators: true };
  if (eventId === null) return null;
  if (text !== null) return JSON.parse((await vault.open(teamId, dataPlaceOf(eventId), text)).reveal());
  const event = await getEvent(database, teamId, eventId);
  return event?.data ? (await toEventView(vault, event)).data : null;
};

/** Decrypts the data of an alert. Null if the data was erased or can't be decrypted. */
export const openAlertData = async (context: EventsContext, alert: Alert): Promise<AlertData> => {
  try {
    return await openText(context, alert);
  } catch (err) {
    if (err instanceof DatabaseUnavailable) throw err;
    context.log.warn({ err, alert: alert.id }, 'an alert could not be opened');
    return null;
  }
};
