import { Readable } from 'node:stream';
import type { Caller } from '../../../http/index.ts';
import { currentWork, type Work, workFor } from '../../../platform/index.ts';
import { callerRemoved, isStillIn, type Visitor } from '../../../teams/index.ts';
import type { EventsContext } from '../../context.ts';
import { payloadUnknown } from '../../errors.ts';
import { type Event, parseEventId } from '../event.ts';
import { showEventView } from '../event-view.ts';
import { findEvent } from '../follow-log.ts';
import { isWithheld } from '../narrow-event.ts';
import { numberEvents } from '../number-events.ts';
import { openPayload } from './payload.ts';

/** Who downloads a payload: a member, or (with null) the operator. */
export type PayloadReader = (Visitor & Pick<Caller, 'restriction'>) | null;

const find = async (context: EventsContext, reader: PayloadReader, text: string): Promise<Event> => {
  await numberEvents(context);
  const id = parseEventId(text);
  const event = id === null ? undefined : await findEvent(context, reader, id);
  const restriction = reader?.restriction;
  if (!event || event.data === null) throw payloadUnknown();
  if (restriction && isWithheld(await showEventView(context, event), restriction)) throw payloadUnknown();
  return event;
};

async function* readOn(
  { database, clock }: EventsContext,
  reader: PayloadReader,
  { first, rest, work }: { first: string; rest: AsyncGenerator<string>; work: Work },
): AsyncGenerator<string> {
  const readNext = async (): Promise<IteratorResult<string>> => {
    // With a slow connection, a person may be removed from the team during the download. The payload then breaks off.
    if (reader && !(await isStillIn(database, reader, clock.now()))) throw callerRemoved();
    return rest.next();
  };
  for (let piece: string | undefined = first; piece !== undefined; ) {
    yield piece;
    // The response pulls each piece outside the request's context, so the owner of the work is set again here.
    const next = await workFor(work, readNext);
    piece = next.done ? undefined : next.value;
  }
}

/** The payload of an event that was too large to be in its data, as JSON text. */
export const showPayload = async (context: EventsContext, reader: PayloadReader, text: string): Promise<Readable> => {
  const { id: eventId, teamId } = await find(context, reader, text);
  const pieces = openPayload(context, { teamId, eventId });
  const first = await pieces.next();
  if (first.done) throw payloadUnknown();
  const left = { first: first.value, rest: pieces, work: currentWork() };
  return Readable.from(readOn(context, reader, left), { objectMode: false });
};
