import type { EventsContext } from '../context.ts';
import { type Event, toEventId } from './event.ts';
import { type About, countReceived, listEventsAbout } from './event-store.ts';
import { numberEvents } from './number-events.ts';

const MOST_EVENTS = 10;
const MOST_COUNTED = 1_000;

/** An event without its data. */
export type EventLine = Pick<Event, 'id' | 'type' | 'subject' | 'provider' | 'topic'> & { at: number };

const listLatest = async (
  context: EventsContext,
  about: About,
  teamId: string,
  subjects: readonly string[],
): Promise<EventLine[]> => {
  if (subjects.length === 0) return [];
  await numberEvents(context);
  const events = await listEventsAbout(context.database, teamId, subjects, { about, limit: MOST_EVENTS });
  return events.map(({ id, type, subject, provider, topic, createdAt: at }) => ({
    ...{ id: toEventId(id), type, subject, provider, topic, at },
  }));
};

/** The latest events about some subjects of a team, newest first. */
export const listAbout = (context: EventsContext, teamId: string, subjects: readonly string[]): Promise<EventLine[]> =>
  listLatest(context, 'anything', teamId, subjects);

/** The latest changes of some connections, newest first. Leaves out what happened at their accounts. */
export const listConnectionChanges = (
  context: EventsContext,
  teamId: string,
  connectionIds: readonly string[],
): Promise<EventLine[]> => listLatest(context, 'connection', teamId, connectionIds);

/** What happened lately at the accounts of some connections, newest first. */
export const listReceived = (
  context: EventsContext,
  teamId: string,
  connectionIds: readonly string[],
): Promise<EventLine[]> => listLatest(context, 'account', teamId, connectionIds);

/** How much happened at the account of each connection in the last `sinceMs` milliseconds. Stops at 1,000 for each. */
export const countRecent = async (
  { database, clock }: Pick<EventsContext, 'database' | 'clock'>,
  teamId: string,
  connectionIds: readonly string[],
  sinceMs: number,
): Promise<Map<string, number>> => {
  if (connectionIds.length === 0) return new Map();
  const range = { since: clock.now() - sinceMs, most: MOST_COUNTED };
  const counts = await countReceived(database, teamId, connectionIds, range);
  return new Map(counts.map(({ id, count }) => [id, Number(count)]));
};
