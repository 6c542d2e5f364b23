import type { CallFact } from '../contract/call-fact.ts';

/** No call has more facts than this, whatever its account sends. */
export const MOST_FACTS = 400;
/** A call with this many facts keeps only those that say something new. Hardly any call has so many. */
const MOST_ALIKE = 200;

/** Returns the same text for facts that say the same. If a call has one of them, the others add nothing. */
const meaningOf = ({ kind, legId, timeFrom, reason, reachedHuman, talkSeconds = 0 }: CallFact): string =>
  [kind, legId === null, timeFrom, reason, reachedHuman === true, talkSeconds > 0].join(' ');

/**
 * Picks which new facts of a call are stored. Every delivery reads all stored facts of its call, so their number is
 * limited. The limit is higher for facts that say something new, so that a flood of repetitions can't keep out the fact
 * that the call was answered or ended.
 */
export const pickNewFacts = <Reported extends { fact: CallFact }>(
  known: readonly CallFact[],
  reported: Iterable<Reported>,
): Reported[] => {
  const keys = new Set(known.map(({ key }) => key));
  const meanings = new Set(known.map(meaningOf));
  const isKept = (fact: CallFact): boolean =>
    !keys.has(fact.key) && (keys.size < MOST_ALIKE || (keys.size < MOST_FACTS && !meanings.has(meaningOf(fact))));
  const picked: Reported[] = [];
  for (const one of reported) {
    if (!isKept(one.fact)) continue;
    keys.add(one.fact.key);
    meanings.add(meaningOf(one.fact));
    picked.push(one);
  }
  return picked;
};
