import { DatabaseUnavailable, type Log, Type, toIso } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { EVENT_TYPES, type Event, toEventId } from './event.ts';
import { parseData } from './event-data.ts';
import { dataPlaceOf } from './record-events.ts';

export const EventView = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(EVENT_TYPES),
    timestamp: Type.String({ format: 'date-time' }),
    sequence: Type.Integer({ description: "Increases with each of a team's events" }),
    team: Type.Object({
      id: Type.String(),
      key: Type.Union([Type.String(), Type.Null()], { description: "Your product's id for the team, if it has one" }),
    }),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Only `{"erased":true}` once what it was about has been erased, and `{"withheld":true}` for a restricted token, if it is about an approval, or about a connection that the token does not reach',
      },
    ),
  },
  { title: 'LoggedEvent' },
);

/** The data of an erased event. */
const ERASED = { erased: true };

const openData = async (vault: Pick<Vault, 'open'>, { id, teamId, data }: Event): Promise<Record<string, unknown>> =>
  data === null ? ERASED : parseData((await vault.open(teamId, dataPlaceOf(id), data)).reveal());

const frameOf = (event: Event) => ({
  id: toEventId(event.id),
  type: event.type,
  timestamp: toIso(event.createdAt),
  sequence: event.sequence,
  team: { id: event.teamId, key: event.teamKey },
});

/** An event as endpoints and API callers get it. */
export const toEventView = async (vault: Pick<Vault, 'open'>, event: Event) => ({
  ...frameOf(event),
  data: await openData(vault, event),
});

export type EventView = Awaited<ReturnType<typeof toEventView>>;

/** An event for readers of the log. If it can't be opened, it's shown without its data, so that readers get past it. */
export const showEventView = async (
  { vault, log }: { vault: Pick<Vault, 'open'>; log: Log },
  event: Event,
): Promise<EventView> => {
  try {
    return await toEventView(vault, event);
  } catch (err) {
    if (err instanceof DatabaseUnavailable) throw err;
    log.warn({ err, event: event.id }, 'an event could not be opened');
    return { ...frameOf(event), data: { unreadable: true } };
  }
};
