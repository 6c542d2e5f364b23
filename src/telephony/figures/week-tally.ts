import type { CallOutcome } from '../calls/call.ts';

/** One row of figures: the part of the report they are for, up to three counts, and what was counted. */
export type TallyRow<Part extends string> = [
  ...[part: Part, one: number, two: number, three: number],
  ...[word: string | null, outcome: CallOutcome | null, at: number],
];

/** The first numbers to be called are counted separately, up to this many. All others are counted together. */
export const MOST_COUNTED_NUMBERS = 10_000;
/** How many numbers are listed. The calls to all others are counted together, as calls to an unknown number. */
export const MOST_TALLIED_NUMBERS = 1_000;

/** Adds up the counts of all pages. */
export const createWeekTally = <Part extends string>() => {
  const sums = new Map<string, TallyRow<Part>>();
  let numbers = 0;

  const add = ([part, one, two, three, word, outcome, at]: TallyRow<Part>): void => {
    const key = `${part} ${word} ${outcome} ${at}`;
    const sum = sums.get(key);
    if (!sum) sums.set(key, [part, one, two, three, word, outcome, at]);
    else {
      sum[1] += one;
      sum[2] += two;
      sum[3] += three;
    }
  };

  /** Adds calls to one number. `at` was only needed to sort the rows, so it's replaced with 0. */
  const addNumber = ([part, calls, answered, untaken, hash, outcome]: TallyRow<Part>): void => {
    const isNew = hash !== null && !sums.has(`${part} ${hash} ${outcome} 0`);
    const isCounted = !isNew || ++numbers <= MOST_COUNTED_NUMBERS;
    add([part, calls, answered, untaken, isCounted ? hash : null, outcome, 0]);
  };

  return {
    addPage(rows: readonly TallyRow<Part>[]): void {
      for (const row of rows) if (row[0] !== 'number') add(row);
      const called = rows.filter(([part]) => part === 'number').sort((left, right) => left[6] - right[6]);
      for (const row of called) addNumber(row);
    },
    parts: () => Map.groupBy(sums.values(), ([part]) => part),
  };
};

type CalledNumber = { hash: string | null; calls: number; answered: number; untaken: number };

/**
 * Picks the most called numbers. Among equals, the number called first comes first. All others are counted together.
 */
export const pickMostCalled = (numbers: readonly CalledNumber[]): CalledNumber[] => {
  const ranked = numbers.filter(({ hash }) => hash !== null).sort((left, right) => right.calls - left.calls);
  const others = [...numbers.filter(({ hash }) => hash === null), ...ranked.slice(MOST_TALLIED_NUMBERS)];
  const sum = (of: 'calls' | 'answered' | 'untaken'): number => others.reduce((total, one) => total + one[of], 0);
  const together = { hash: null, calls: sum('calls'), answered: sum('answered'), untaken: sum('untaken') };
  return [...ranked.slice(0, MOST_TALLIED_NUMBERS), ...(others.length > 0 ? [together] : [])];
};
