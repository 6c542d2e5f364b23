import { Readable } from 'node:stream';
import type { Restriction } from '../../../http/index.ts';
import { currentWork, type Work, workFor } from '../../../platform/index.ts';
import type { EventsContext } from '../../context.ts';
import { payloadUnknown } from '../../errors.ts';
import type { LogScope } from '../cursor.ts';
import { type Event, parseEventId } from '../event.ts';
import { showEventView } from '../event-view.ts';
import { findEvent } from '../follow-log.ts';
import { isWithheld } from '../narrow-event.ts';
import { numberEvents } from '../number-events.ts';
import { openPayload } from './payload.ts';

const find = async (
  context: EventsContext,
  scope: LogScope,
  text: string,
  restriction: Restriction | undefined,
): Promise<Event> => {
  await numberEvents(context);
  const id = parseEventId(text);
  const event = id === null ? undefined : await findEvent(context, scope, id);
  if (!event || event.data === null) throw payloadUnknown();
  if (restriction && isWithheld(await showEventView(context, event), restriction)) throw payloadUnknown();
  return event;
};

/** The response pulls each piece outside the request's context, so the owner of the work is set again here. */
async function* readOn(first: string, rest: AsyncGenerator<string>, work: Work): AsyncGenerator<string> {
  for (let piece: string | undefined = first; piece !== undefined; ) {
    yield piece;
    const next = await workFor(work, () => rest.next());
    piece = next.done ? undefined : next.value;
  }
}

/** The payload of an event that was too large to be in its data, as JSON text. */
export const showPayload = async (
  context: EventsContext,
  scope: LogScope,
  text: string,
  restriction?: Restriction | undefined,
): Promise<Readable> => {
  const { id: eventId, teamId } = await find(context, scope, text, restriction);
  const pieces = openPayload(context, { teamId, eventId });
  const first = await pieces.next();
  if (first.done) throw payloadUnknown();
  return Readable.from(readOn(first.value, pieces, currentWork()), { objectMode: false });
};
