import type { EventType } from '../log/event.ts';

/** What a team chooses to be told about. `endpoint`: one that Patchbay has turned off. `voicemail` and `missed` are calls. */
export const CHOSEN_KINDS = ['reconnect', 'voicemail', 'missed', 'endpoint'] as const;
export type ChosenKind = (typeof CHOSEN_KINDS)[number];

/** Backups are the operator's, who is told as the first team, always. */
export const ALERT_KINDS = [...CHOSEN_KINDS, 'backup'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const CHANNELS = ['mail', 'slack'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Where a kind of alert can be: behind the bell, and where it's sent. */
export const PLACES = ['pages', ...CHANNELS] as const;
export type AlertPlace = (typeof PLACES)[number];

type Places = Record<AlertPlace, boolean>;

/** Where a team is told about what it has chosen. What is sent is on the pages, too, until it's resolved. */
export type AlertSettings = Record<ChosenKind, Places>;

/** As someone sends them. Without `pages`, only what is sent is there. */
export type AlertWish = Record<ChosenKind, Record<Channel, boolean> & { pages?: boolean }>;

export const completeSettings = (wish: AlertWish): AlertSettings => {
  const placesOf = (kind: ChosenKind): Places => {
    const { mail, slack, pages = false } = wish[kind];
    return { pages: pages || mail || slack, mail, slack };
  };
  return Object.fromEntries(CHOSEN_KINDS.map((kind) => [kind, placesOf(kind)])) as AlertSettings;
};

const BOTH = { pages: true, mail: true, slack: true };
const NEITHER = { pages: false, mail: false, slack: false };

export const DEFAULT_SETTINGS: AlertSettings = {
  reconnect: BOTH,
  voicemail: NEITHER,
  missed: NEITHER,
  endpoint: BOTH,
};

export const channelsFor = (settings: AlertSettings, kind: AlertKind): Places =>
  kind === 'backup' ? BOTH : settings[kind];

/** What nobody wants to be told isn't opened, either. */
export const isWanted = (settings: AlertSettings, kind: AlertKind): boolean => channelsFor(settings, kind).pages;

export type Resolution = 'recovered' | 'reconnected' | 'disconnected' | 'reactivated' | 'deleted' | 'completed';

/** An alert as it's stored. */
export type Alert = {
  id: string;
  teamId: string;
  kind: AlertKind;
  /** A connection, a call, an endpoint, or `backup`. */
  subject: string;
  eventId: string | null;
  /** Sealed, except about a backup. Null for a call, which is described by its event. */
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

const MINUTE_MS = 60_000;
/** How far back it counts how often a cause was told. */
export const REMEMBERED_MS = 24 * 60 * MINUTE_MS;
/** How long a cause must have been over to be told at once if it comes back: after one time, after two, and after more. */
const PAUSES_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 4 * 60 * MINUTE_MS];
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS);

/** How often a cause was told lately, and when it was last over. */
export type Former = { count: number; endedAt: number | null };

/** When to tell people about a cause that came back. Null: with whatever is told next. */
export const tellAtOf = (now: number, { count, endedAt }: Former): number | null => {
  const pauseMs = PAUSES_MS[Math.min(count, PAUSES_MS.length) - 1];
  if (pauseMs === undefined || endedAt === null) return null;
  // A time in the future was written by a clock that has been set back since.
  const at = Math.min(endedAt, now) + pauseMs;
  return at > now ? at : null;
};

/** What happens within this time is told together. */
const GATHER_MS = 20_000;
/** A team gets at most one message in this time, and waits no longer for it. */
export const LEAST_APART_MS = 60_000;

/** When to tell a team about something new. */
export const dueAtOf = (now: number, toldAt: number | null): number =>
  // A time in the future was written by a clock that has been set back since.
  Math.min(Math.max(now + GATHER_MS, (toldAt ?? 0) + LEAST_APART_MS), now + LEAST_APART_MS);
