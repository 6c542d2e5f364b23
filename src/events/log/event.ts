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
  'transcript.ready',
  'report.ready',
  'approval.requested',
  'approval.decided',
  'containment.started',
  'containment.finished',
  'containment.lifted',
  'provider.event',
  'provider.unmatched',
  'test',
  'team.erased',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What happened at a connected account, as its provider said in a webhook. */
export const PROVIDER_EVENT = 'provider.event' as const satisfies EventType;

/** A provider's webhook that fits no connection. It belongs to no team, and is recorded in the first one. */
export const UNMATCHED = 'provider.unmatched' as const satisfies EventType;

/** Recorded when a team is gone. */
export const TEAM_ERASED = 'team.erased' as const satisfies EventType;

/** Only the operator gets these types, because what they are about belongs to no team. */
export const OPERATOR_ONLY: readonly EventType[] = [UNMATCHED, TEAM_ERASED];

/** An event to record. */
export type NewEvent = {
  teamId: string;
  type: EventType;
  /** The ID of what the event is about: a call, a connection, a recording, a report, an approval, or a containment. */
  subject: string;
  /** The data as the API returns it, with a `url` to read more. Never a token. */
  data: Readonly<Record<string, unknown>>;
  /** Whether it concerns everybody: it's recorded in the first team, and the operator gets it in any case. */
  ofEverybody?: boolean;
  /** For `provider.event` and `provider.unmatched`: whose event it is, and the provider's own type. */
  from?: { provider: string; topic: string };
  /**
   * What the provider sent, as JSON text. It's stored as it is, so it must be valid. Up to 16 KB it becomes
   * `data.payload`. A larger one is kept apart, and `data.payloadUrl` leads to it.
   */
  payload?: string;
};

/** An event with its position in the log. */
export type Event = {
  id: string;
  teamId: string;
  teamKey: string | null;
  type: EventType;
  subject: string;
  /** Of a `provider.event`, its provider and the provider's type. Both are empty if it fits no connection. */
  provider: string | null;
  topic: string | null;
  /** The sealed data. Null once erased. */
  data: string | null;
  createdAt: number;
  position: number;
  sequence: number;
};

/** Whether the data was erased, so that there is nothing to send. */
export const isErased = ({ type, data }: Event): boolean => data === null && type !== TEAM_ERASED;

const ID_PREFIX = 'evt_';
const EVENT_ID = /^evt_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const toEventId = (id: string): string => `${ID_PREFIX}${id}`;

/** Null if the text isn't an event ID. */
export const parseEventId = (text: string): string | null => EVENT_ID.exec(text)?.[1] ?? null;
