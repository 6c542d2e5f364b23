import type { EventsContext } from '../context.ts';
import { type EventType, toEventId } from './event.ts';
import { listEventsAbout } from './event-store.ts';
import { numberEvents } from './number-events.ts';

const MOST_EVENTS = 10;

/** An event without its data. */
export type EventLine = { id: string; type: EventType; subject: string; at: number };

/** The latest events about some subjects of a team, newest first. */
export const listAbout = async (
  context: EventsContext,
  teamId: string,
  subjects: readonly string[],
): Promise<EventLine[]> => {
  if (subjects.length === 0) return [];
  await numberEvents(context);
  const events = await listEventsAbout(context.database, teamId, subjects, MOST_EVENTS);
  return events.map(({ id, type, subject, createdAt: at }) => ({ id: toEventId(id), type, subject, at }));
};
