import type { EventsContext } from '../context.ts';
import { cursorExpired, eventCursorInvalid } from '../errors.ts';
import { type LogScope, printCursor, readCursor } from './cursor.ts';
import { type Event, parseEventId } from './event.ts';
import { filtersOfLog, toFilters } from './event-filter.ts';
import { type LogRange, listEventsOfCustomers, listEventsOfTeam } from './event-range-store.ts';
import { getCustomerEvent, getEvent } from './event-store.ts';
import { type EventView, showEventView } from './event-view.ts';
import { getLogEnds } from './log-store.ts';
import { numberEvents } from './number-events.ts';

/** `types` are choices as an endpoint has them. Without them, it's the whole log. */
export type LogQuery = { after?: string | undefined; types?: readonly string[] | undefined; limit: number };

/** How long events are kept. */
export const KEPT_MS = 30 * 24 * 3_600_000;

/** The time in a UUIDv7, whose first 48 bits are milliseconds. */
const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

export const findEvent = (
  { database }: Pick<EventsContext, 'database'>,
  scope: LogScope,
  id: string,
): Promise<Event | undefined> => (scope ? getEvent(database, scope.teamId, id) : getCustomerEvent(database, id));

export const listEventsIn = (
  { database }: Pick<EventsContext, 'database'>,
  scope: LogScope,
  range: LogRange,
): Promise<Event[]> =>
  scope ? listEventsOfTeam(database, scope.teamId, range) : listEventsOfCustomers(database, range);

const findStart = async (context: EventsContext, scope: LogScope, after: string | undefined): Promise<number> => {
  if (after === undefined) return 0;
  const id = parseEventId(after);
  if (id === null) return readCursor(context, scope, after);
  const event = await findEvent(context, scope, id);
  if (event) return event.position;
  throw timeOf(id) < context.clock.now() - KEPT_MS ? cursorExpired() : eventCursorInvalid();
};

/**
 * Lists events after a cursor, oldest first. Continuing from `nextCursor` misses no event. If fewer than `limit` events
 * match, `nextCursor` is the end of the log, so it doesn't expire just because no event matches.
 */
export const followLog = async (
  context: EventsContext,
  scope: LogScope,
  { after, types, limit }: LogQuery,
): Promise<{ events: EventView[]; nextCursor: string }> => {
  await numberEvents(context);
  const { position: end } = await getLogEnds(context.database);
  const start = await findStart(context, scope, after);
  if (start > end) throw eventCursorInvalid();
  const filters = types ? toFilters(types) : filtersOfLog(scope === null);
  const found = await listEventsIn(context, scope, { after: start, upTo: end, limit, filters });
  // Check for pruning after listing, because events may have been deleted just before they were listed.
  const { pruned } = await getLogEnds(context.database);
  if (after !== undefined && start < pruned) throw cursorExpired();
  const events: EventView[] = [];
  for (const event of found) events.push(await showEventView(context, event));
  const nextPosition = found.length < limit ? end : (found.at(-1)?.position ?? end);
  return { events, nextCursor: await printCursor(context, scope, nextPosition) };
};

/** A cursor after all events so far. */
export const findLogEnd = async (context: EventsContext, scope: LogScope): Promise<string> => {
  await numberEvents(context);
  return printCursor(context, scope, (await getLogEnds(context.database)).position);
};
