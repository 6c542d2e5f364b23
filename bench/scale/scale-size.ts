import { pickSize } from '../pick-size.ts';

export const MANY = pickSize({ full: 10_000_000, small: 40_000 });
export const FEW = pickSize({ full: 1_000_000, small: 20_000 });
/** How many calls the last four weeks have. Enough for everybody to be called back at least once. */
export const COMMON_CALLS = pickSize({ full: 10_000, small: 7_000 });
export const PLAN = pickSize({
  full: { warmUps: 2, rounds: 9, asked: 10 },
  small: { warmUps: 0, rounds: 1, asked: 1 },
});
