import { personKeyOf } from './logged-request.ts';
import type { CallerCount } from './request-group-store.ts';

/** A person with more than this share of the limit pushes out only their own requests, and so does an access token. */
const SHARE = 0.1;

/** So many of a caller's oldest requests, or of the oldest of all callers. */
export type Removal = { caller: string | null; most: number };

/** A caller's requests: how many there are, how many of them are left, and how many were added recently. */
type Share = CallerCount & { left: number; added: number };

const sumOf = (shares: readonly Share[], field: 'left' | 'added' | 'number'): number =>
  shares.reduce((sum, share) => sum + share[field], 0);

const byMost = (one: Share, other: Share): number => other.left - one.left;

/** Takes requests away from the callers with the most, until they have no more than the next. */
const levelOff = (shares: readonly Share[], most: number): void => {
  const sorted = shares.toSorted(byMost);
  let level = 0;
  for (let index = 0, sum = -most; index < sorted.length; index++) {
    sum += sorted[index]?.left ?? 0;
    level = Math.floor(sum / (index + 1));
    if (level >= (sorted[index + 1]?.left ?? 0)) break;
  }
  let rest = most;
  for (const share of sorted) {
    const taken = Math.min(rest, Math.max(0, share.left - level));
    share.left -= taken;
    rest -= taken;
  }
};

/** What to delete of a team that has too many requests. `added` says how many each caller has added recently. */
export const planRemovals = (
  counts: readonly CallerCount[],
  added: ReadonlyMap<string, number>,
  most: number,
): Removal[] => {
  const shares = counts
    .map((count) => ({ ...count, left: count.number, added: added.get(count.caller) ?? 0 }))
    .sort(byMost);
  const people = [...Map.groupBy(shares, personKeyOf).values()];
  let excess = sumOf(shares, 'left') - most;
  /** Removes requests of these callers, but never so many that they have less than a share. */
  const remove = (own: readonly Share[], wanted: number): void => {
    const number = Math.min(excess, wanted, sumOf(own, 'left') - most * SHARE);
    if (number <= 0) return;
    excess -= number;
    levelOff(own, number);
  };
  for (const share of shares) remove([share], share.added);
  for (const own of people) remove(own, sumOf(own, 'added') - (sumOf(own, 'number') - sumOf(own, 'left')));
  // What people with few requests have added pushes out the requests of those who have most, or else the oldest of all.
  for (const own of people.toSorted((one, other) => sumOf(other, 'left') - sumOf(one, 'left'))) remove(own, excess);
  const removals = shares.map(({ caller, number, left }) => ({ caller, most: number - left }));
  return [...removals, { caller: null, most: excess }].filter((removal) => removal.most > 0);
};
