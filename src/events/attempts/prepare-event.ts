import { DatabaseUnavailable } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import type { LogScope } from '../log/cursor.ts';
import { type Event, isErased } from '../log/event.ts';
import { type EventView, toEventView } from '../log/event-view.ts';
import { findEvent } from '../log/follow-log.ts';

/** An event read longer ago is read again, because it may have been erased since. */
const FRESH_MS = 2_000;

/** Opens an event for sending. Reads the event again if it was read a while ago. */
export const prepareEvent = async (
  context: Pick<EventsContext, 'database' | 'vault' | 'log'>,
  scope: LogScope,
  { event, readAt }: { event: Event; readAt: number },
): Promise<EventView | 'erased' | 'unreadable'> => {
  const isFresh = performance.now() - readAt < FRESH_MS;
  const found = isFresh ? event : await findEvent(context, scope, event.id);
  if (!found || isErased(found)) return 'erased';
  try {
    return await toEventView(context.vault, found);
  } catch (err) {
    if (err instanceof DatabaseUnavailable) throw err;
    context.log.warn({ err, event: event.id }, 'an event could not be opened');
    return 'unreadable';
  }
};
