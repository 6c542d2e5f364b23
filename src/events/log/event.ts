/** All event types. A new type also has to be added to docs/events.md. */
export const EVENT_TYPES = [
  'connection.connected',
  'connection.reconnected',
  'connection.degraded',
  'connection.recovered',
  'connection.needs_reconnect',
  'connection.disconnected',
  'call.started',
  'call.ended',
  'call.missed',
  'call.voicemail',
  'call.returned',
  'call.reopened',
  'recording.ready',
  'recording.failed',
  'report.ready',
  'approval.requested',
  'approval.decided',
  'test',
  'team.erased',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Only the operator gets this type, because the team no longer exists. */
export const OPERATOR_ONLY: EventType = 'team.erased';

/** An event to record. */
export type NewEvent = {
  teamId: string;
  type: EventType;
  /** The ID of what the event is about: a call, a connection, a recording, a report, or an approval. */
  subject: string;
  /** The data as the API returns it, with a `url` to read more. Never a token. */
  data: Readonly<Record<string, unknown>>;
};

/** An event with its position in the log. */
export type Event = {
  id: string;
  teamId: string;
  teamKey: string | null;
  type: EventType;
  subject: string;
  /** The sealed data. Null once erased. */
  data: string | null;
  createdAt: number;
  position: number;
  sequence: number;
};

/** Whether the data was erased, so that there is nothing to send. */
export const isErased = ({ type, data }: Event): boolean => data === null && type !== OPERATOR_ONLY;

const ID_PREFIX = 'evt_';
const EVENT_ID = /^evt_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const toEventId = (id: string): string => `${ID_PREFIX}${id}`;

/** Null if the text isn't an event ID. */
export const parseEventId = (text: string): string | null => EVENT_ID.exec(text)?.[1] ?? null;

/** Leaves enough for the other fields, because an event has at most 20 KB. */
const MOST_DATA_BYTES = 19_000;
const MOST_TEXT = 300;

const printFitting = (data: NewEvent['data']): string =>
  JSON.stringify({
    ...Object.fromEntries(
      Object.entries(data)
        .filter(([, value]) => typeof value !== 'object' || value === null)
        .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MOST_TEXT) : value]),
    ),
    truncated: true,
  });

/** Prints an event's data. If it's too large, keeps only short fields. The full data is at its `url`. */
export const printData = (data: NewEvent['data']): string => {
  const text = JSON.stringify(data);
  return Buffer.byteLength(text) <= MOST_DATA_BYTES ? text : printFitting(data);
};
