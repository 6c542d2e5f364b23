import type { EventType } from '../log/event.ts';

/** `reconnect`: a connection. `endpoint`: one that Patchbay has turned off. `voicemail` and `missed` are calls. */
export const ALERT_KINDS = ['reconnect', 'voicemail', 'missed', 'endpoint'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const CHANNELS = ['mail', 'slack'] as const;
export type Channel = (typeof CHANNELS)[number];

/** By which channels a team is told about what. */
export type AlertSettings = Record<AlertKind, Record<Channel, boolean>>;

const BOTH = { mail: true, slack: true };
const NEITHER = { mail: false, slack: false };

export const DEFAULT_SETTINGS: AlertSettings = {
  reconnect: BOTH,
  voicemail: NEITHER,
  missed: NEITHER,
  endpoint: BOTH,
};

/** What nobody wants to be told isn't opened, either. */
export const isWanted = (settings: AlertSettings, kind: AlertKind): boolean =>
  CHANNELS.some((channel) => settings[kind][channel]);

export type Resolution = 'recovered' | 'reconnected' | 'disconnected' | 'reactivated' | 'deleted';

/** An alert as it's stored. */
export type Alert = {
  id: string;
  teamId: string;
  kind: AlertKind;
  /** A connection, a call, or an endpoint. */
  subject: string;
  eventId: string | null;
  /** Sealed. Null for a call, which is described by its event. */
  text: string | null;
  reason: string | null;
  openedAt: number;
  resolvedAt: number | null;
  resolution: Resolution | null;
};

/** What an event does to alerts about the same subject. A call that is over for people is simply forgotten. */
type Effect = { opens: AlertKind } | { resolves: AlertKind; as: Resolution } | { forgets: readonly AlertKind[] };

export const CALL_KINDS = ['voicemail', 'missed'] as const;

/** A call's outcome can change later. `call.ended` says so first, and what it means for people follows. */
export const EFFECTS: Readonly<Partial<Record<EventType, Effect>>> = {
  'connection.needs_reconnect': { opens: 'reconnect' },
  'connection.recovered': { resolves: 'reconnect', as: 'recovered' },
  'connection.reconnected': { resolves: 'reconnect', as: 'reconnected' },
  'connection.disconnected': { resolves: 'reconnect', as: 'disconnected' },
  'call.voicemail': { opens: 'voicemail' },
  'call.missed': { opens: 'missed' },
  'call.ended': { forgets: CALL_KINDS },
  'call.returned': { forgets: CALL_KINDS },
};

/** What happens within this time is told together. */
const GATHER_MS = 20_000;
/** A team gets at most one message in this time, and waits no longer for it. */
export const LEAST_APART_MS = 60_000;

/** When to tell a team about something new. */
export const dueAtOf = (now: number, toldAt: number | null): number =>
  // A time in the future was written by a clock that has been set back since.
  Math.min(Math.max(now + GATHER_MS, (toldAt ?? 0) + LEAST_APART_MS), now + LEAST_APART_MS);
