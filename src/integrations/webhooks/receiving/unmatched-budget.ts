import type { Clock } from '../../../platform/index.ts';

const DAY_MS = 24 * 3_600_000;
/** How many messages that fit no connection are kept, for each provider and day. Others are only counted. */
const MOST_A_DAY = 1_000;

/** Counts the messages that fit no connection, so that a flood of them can't fill the log. */
export const createUnmatchedBudget = ({ clock }: { clock: Clock }) => {
  let day = 0;
  let kept = new Map<string, number>();
  return {
    /** Whether one more may be kept. */
    take(provider: string): boolean {
      const today = Math.floor(clock.now() / DAY_MS);
      if (today !== day) [day, kept] = [today, new Map()];
      const count = kept.get(provider) ?? 0;
      kept.set(provider, count + 1);
      return count < MOST_A_DAY;
    },
  };
};

export type UnmatchedBudget = ReturnType<typeof createUnmatchedBudget>;
