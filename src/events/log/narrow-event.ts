import type { Allowed, Restriction } from '../../http/index.ts';
import { type EventType, PROVIDER_EVENT } from './event.ts';

/** The data of an event that a restricted token doesn't get. */
const WITHHELD = { withheld: true };

type View = { type: EventType; data: Readonly<Record<string, unknown>> };

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/**
 * Whether a token reaches what an event at a connected account is about. If its rights name a connection, they are for
 * the account that this had when the token was made, so the event must be about this account. If the account is
 * unknown, nobody can tell.
 */
const reaches = ({ data }: View, { provider, connection, account }: Allowed): boolean => {
  if (data['provider'] !== provider) return false;
  if (connection === null) return true;
  const isSameName = data['connection'] === connection;
  return isSameName && account !== null && account.id !== null && fieldOf(data['account'], 'id') === account.id;
};

/**
 * Whether a caller doesn't see what an event says: what another token has asked for, what was said in a recording that a
 * token may not hear, and what happened at a connected account that a token doesn't reach.
 */
export const isWithheld = (view: View, restriction: Restriction | undefined): boolean => {
  if (!restriction) return false;
  if (view.type === PROVIDER_EVENT) return !restriction.allow.some((allowed) => reaches(view, allowed));
  if (view.type.startsWith('transcript.')) return !restriction.can.includes('recordings');
  return view.type.startsWith('approval.');
};

/** What a recording's event says without what was said in it, for a token that may not hear recordings. */
const withoutWords = <Event extends View>(view: Event, restriction: Restriction | undefined): Event =>
  restriction && !restriction.can.includes('recordings') && 'transcript' in view.data
    ? { ...view, data: { ...view.data, transcript: WITHHELD } }
    : view;

/** An event as a caller may see it. */
export const narrowEvent = <Event extends View>(
  view: Event,
  restriction: Restriction | undefined,
): Event | (Omit<Event, 'data'> & { data: typeof WITHHELD }) =>
  isWithheld(view, restriction) ? { ...view, data: WITHHELD } : withoutWords(view, restriction);

/**
 * Events as a caller may see them. `isOfProvider`: only those of one provider were asked for, so that even being in the
 * list says what is withheld.
 */
export const narrowEvents = <Event extends View>(
  views: readonly Event[],
  restriction: Restriction | undefined,
  { isOfProvider }: { isOfProvider: boolean },
) =>
  views.filter((view) => !isOfProvider || !isWithheld(view, restriction)).map((view) => narrowEvent(view, restriction));
