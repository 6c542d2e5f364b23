import type { CallEvent } from '../contract/call-event.ts';

/** No call has more events than this, whatever its account sends. */
export const MOST_EVENTS = 400;
/** From here on, a call keeps only events that say something new. Hardly any call gets here. */
const MOST_ALIKE = 200;

/** Equal for events that make no difference to a call that already has one of them. */
const meaningOf = ({ kind, legId, timeFrom, reason, reachedHuman, talkSeconds = 0 }: CallEvent): string =>
  [kind, legId === null, timeFrom, reason, reachedHuman === true, talkSeconds > 0].join(' ');

/**
 * Picks which new events a call keeps, given those it has. All of them are read with every delivery, so their number is
 * limited. After any amount of noise, a call can still be answered and end.
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
