import type { Rounds } from './alternate-peers.ts';

export type Summary = { median: number; least: number; most: number };

export const summarize = (values: readonly number[]): Summary => {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (place: number): number => sorted[place] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  };
};

/** How far apart the rounds are, as a share of their median. */
export const spreadOf = ({ median, least, most }: Summary): number => (most - least) / median;

export const ratioOf = ({ ours, peer }: Rounds<number>): number => summarize(ours).median / summarize(peer).median;

/** The ratio in each round. Peers are measured right after each other, so the machine is equally busy for both. */
export const ratiosOf = ({ ours, peer }: Rounds<number>): Summary =>
  summarize(ours.map((value, round) => value / (peer[round] ?? Number.NaN)));
