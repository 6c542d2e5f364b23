import type { CallEvent } from '../contract/call-event.ts';

/** How many events a call can have, whatever its account sends. */
export const MOST_EVENTS = 400;
/** After this many events, a call keeps only events that say something new. Hardly any call has so many. */
const MOST_ALIKE = 200;

/** Describes what an event means for a call. A second event with the same description changes nothing. */
const meaningOf = ({ kind, legId, timeFrom, reason, reachedHuman, talkSeconds = 0 }: CallEvent): string =>
  [kind, legId === null, timeFrom, reason, reachedHuman === true, talkSeconds > 0].join(' ');

/**
 * Picks the new events that a call keeps. All of a call's events are read with every delivery, so their number is
 * limited. Even after many useless events, a call can still be answered and end.
 */
export const pickNewEvents = <Told extends { event: CallEvent }>(
  known: readonly CallEvent[],
  told: Iterable<Told>,
): Told[] => {
  const keys = new Set(known.map(({ key }) => key));
  const meanings = new Set(known.map(meaningOf));
  const isKept = (event: CallEvent): boolean =>
    !keys.has(event.key) && (keys.size < MOST_ALIKE || (keys.size < MOST_EVENTS && !meanings.has(meaningOf(event))));
  const picked: Told[] = [];
  for (const one of told) {
    if (!isKept(one.event)) continue;
    keys.add(one.event.key);
    meanings.add(meaningOf(one.event));
    picked.push(one);
  }
  return picked;
};
