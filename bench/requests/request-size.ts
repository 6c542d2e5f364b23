import { MOST_REQUESTS } from '../../src/integrations/request-log/limit-requests.ts';
import { pickSize } from '../pick-size.ts';

export const MANY = pickSize({ full: 10_000_000, small: 8_000 });
export const FEW = pickSize({ full: 1_000_000, small: 4_000 });
/** How many requests a full team has. */
export const OF_A_TEAM = pickSize({ full: MOST_REQUESTS, small: 2_000 });
/** How many requests one pruning deletes. */
export const PRUNED = pickSize({ full: 5_000, small: 100 });
export const PLAN = pickSize({
  full: { warmUps: 2, rounds: 9, asked: 10 },
  small: { warmUps: 0, rounds: 1, asked: 1 },
});
