import type { Role } from '../../http/index.ts';
import type { EventType } from '../log/event.ts';

/**
 * The kinds of alerts that a team can turn on or off. `endpoint`: Patchbay has turned an endpoint off. `approval`: a
 * request of a restricted token waits for an admin. `voicemail` and `missed` are about calls.
 */
export const CHOSEN_KINDS = ['reconnect', 'voicemail', 'missed', 'endpoint', 'approval'] as const;
export type ChosenKind = (typeof CHOSEN_KINDS)[number];

/** All kinds. Alerts about backups are for the operator, go to the first team, and can't be turned off. */
export const ALERT_KINDS = [...CHOSEN_KINDS, 'backup'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const CHANNELS = ['mail', 'slack'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The places where a kind of alert can appear: on the pages, and the channels that it is sent to. */
export const PLACES = ['pages', ...CHANNELS] as const;
export type AlertPlace = (typeof PLACES)[number];

type Places = Record<AlertPlace, boolean>;

/** The places where each kind of alert appears. An alert that is sent is also on the pages until it's resolved. */
export type AlertSettings = Record<ChosenKind, Places>;

type WishedPlaces = Record<Channel, boolean> & { pages?: boolean };

/**
 * The settings that a person or a program sends. Without `pages`, only alerts that are sent appear on the pages.
 * Programs for earlier versions don't know `approval`, so without it, it stays as it is.
 */
export type AlertWish = Record<Exclude<ChosenKind, 'approval'>, WishedPlaces> & { approval?: WishedPlaces };

export const completeSettings = (wish: Required<AlertWish>): AlertSettings => {
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
  approval: BOTH,
};

export const channelsFor = (settings: AlertSettings, kind: AlertKind): Places =>
  kind === 'backup' ? BOTH : settings[kind];

/** Whether a kind of alert appears anywhere. If not, such alerts aren't opened at all. */
export const isWanted = (settings: AlertSettings, kind: AlertKind): boolean => channelsFor(settings, kind).pages;

export type Resolution = 'recovered' | 'reconnected' | 'disconnected' | 'reactivated' | 'deleted' | 'completed';

/** An alert as it's stored. */
export type Alert = {
  id: string;
  teamId: string;
  kind: AlertKind;
  /** The ID of a connection, a call, an endpoint, or an approval, or `backup`. */
  subject: string;
  eventId: string | null;
  /** What the alert is about. Sealed, except for a backup. Null for a call, which is described by its event. */
  text: string | null;
  reason: string | null;
  openedAt: number;
  resolvedAt: number | null;
  resolution: Resolution | null;
};

/** Only admins can do something about these, so nobody else sees them. */
const FOR_ADMINS: readonly AlertKind[] = ['approval'];

/** The kinds of alerts that a person sees. */
export const kindsFor = (role: Role): readonly AlertKind[] =>
  role === 'admin' ? ALERT_KINDS : ALERT_KINDS.filter((kind) => !FOR_ADMINS.includes(kind));

/** How an event changes alerts about the same subject. `forgets` deletes alerts instead of resolving them. */
type Effect = { opens: AlertKind } | { resolves: AlertKind; as: Resolution } | { forgets: readonly AlertKind[] };

export const CALL_KINDS = ['voicemail', 'missed'] as const;

/**
 * The effect of each event type. If a call's outcome changes later, `call.ended` is recorded again and removes the
 * call's alerts. The event for the new outcome follows.
 */
export const EFFECTS: Readonly<Partial<Record<EventType, Effect>>> = {
  'connection.needs_reconnect': { opens: 'reconnect' },
  'connection.recovered': { resolves: 'reconnect', as: 'recovered' },
  'connection.reconnected': { resolves: 'reconnect', as: 'reconnected' },
  'connection.disconnected': { resolves: 'reconnect', as: 'disconnected' },
  'call.voicemail': { opens: 'voicemail' },
  'call.missed': { opens: 'missed' },
  'call.ended': { forgets: CALL_KINDS },
  'call.returned': { forgets: CALL_KINDS },
  'approval.requested': { opens: 'approval' },
  'approval.decided': { forgets: ['approval'] },
};

const MINUTE_MS = 60_000;
/** How far back earlier alerts with the same cause are included in `Former`. */
export const REMEMBERED_MS = 24 * 60 * MINUTE_MS;
/**
 * If a cause comes back within this time after it was resolved, people are told only once this time is over. The values
 * are for a cause that was resolved once, twice, or more often in the last day.
 */
const PAUSES_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 4 * 60 * MINUTE_MS];
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS);

/** How often people were told about a cause in the last day, and when it was last resolved. */
export type Former = { count: number; endedAt: number | null };

/** When to tell people about a cause that came back. Null for the next notice. */
export const tellAtOf = (now: number, { count, endedAt }: Former): number | null => {
  const pauseMs = PAUSES_MS[Math.min(count, PAUSES_MS.length) - 1];
  if (pauseMs === undefined || endedAt === null) return null;
  // `endedAt` is in the future if a clock that was ahead has been set back since.
  const at = Math.min(endedAt, now) + pauseMs;
  return at > now ? at : null;
};

/** Alerts that open within this time go into the same notice. */
const GATHER_MS = 20_000;
/** The least time between two messages to a team. An alert never waits longer than this for the next message. */
export const LEAST_APART_MS = 60_000;

/** When the team's next notice is due. */
export const dueAtOf = (now: number, toldAt: number | null): number =>
  // `toldAt` is in the future if a clock that was ahead has been set back since.
  Math.min(Math.max(now + GATHER_MS, (toldAt ?? 0) + LEAST_APART_MS), now + LEAST_APART_MS);
