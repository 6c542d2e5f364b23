import { type AuditActor, recordAudit } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import type { EndpointOwner } from '../endpoints/endpoint.ts';
import { hastenRetry, listEndpoints } from '../endpoints/endpoint-store.ts';
import { dataErased, eventUnknown } from '../errors.ts';
import { type Event, isErased, parseEventId } from '../log/event.ts';
import { fitsAny, toFilters } from '../log/event-filter.ts';
import { getEvent } from '../log/event-store.ts';
import { type EventView, showEventView } from '../log/event-view.ts';
import { findEvent } from '../log/follow-log.ts';
import { numberEvents } from '../log/number-events.ts';
import { type AttemptRow, listAttemptsOf, MOST_ATTEMPTS } from './attempt-store.ts';
import { putRetries } from './retry-store.ts';

/**
 * Finds a test of one of the operator's endpoints. Such tests are recorded in the first team, whose events may not be
 * in the operator's log.
 */
const findTest = async ({ database }: EventsContext, owner: EndpointOwner, id: string): Promise<Event | undefined> => {
  const event = await getEvent(database, owner.teamId, id);
  if (event?.type !== 'test') return undefined;
  const endpoints = await listEndpoints(database, owner);
  return endpoints.some((endpoint) => endpoint.id === event.subject) ? event : undefined;
};

const find = async (context: EventsContext, owner: EndpointOwner, text: string): Promise<Event> => {
  await numberEvents(context);
  const id = parseEventId(text);
  if (id === null) throw eventUnknown();
  const { teamId, forOperator } = owner;
  const found = await findEvent(context, forOperator ? null : { teamId }, id);
  const event = found ?? (forOperator ? await findTest(context, owner, id) : undefined);
  if (!event) throw eventUnknown();
  return event;
};

/** An event with every attempt to send it to the owner's endpoints, newest first. */
export const showEvent = async (
  context: EventsContext,
  owner: EndpointOwner,
  id: string,
): Promise<{ event: EventView; attempts: AttemptRow[] }> => {
  const event = await find(context, owner, id);
  return {
    event: await showEventView(context, event),
    attempts: await listAttemptsOf(context.database, owner.teamId, event.id, MOST_ATTEMPTS),
  };
};

/**
 * Sends an event again to all endpoints that want it, with all retries, as if it were new. Returns the number of
 * endpoints.
 */
export const resendEvent = async (
  context: EventsContext,
  owner: EndpointOwner,
  actor: AuditActor,
  id: string,
): Promise<number> => {
  const { database, clock } = context;
  const event = await find(context, owner, id);
  if (isErased(event)) throw dataErased();
  const now = clock.now();
  return database.transaction(async (tx) => {
    const endpoints = await listEndpoints(tx, owner);
    const ids = endpoints
      .filter((endpoint) => endpoint.inactiveReason === null && fitsAny(toFilters(endpoint.types), event))
      .map((endpoint) => endpoint.id);
    if (ids.length === 0) return 0;
    await putRetries(
      tx,
      ids.map((endpointId) => ({ endpointId, eventId: event.id, attempts: 0, nextAt: now })),
    );
    await hastenRetry(tx, ids, now);
    await recordAudit(context, tx, owner.teamId, actor, { action: 'event.resend', target: id });
    tx.afterCommit(() => context.onEndpointsChanged(ids));
    return ids.length;
  });
};
