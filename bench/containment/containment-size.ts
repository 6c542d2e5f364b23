import { pickSize } from '../pick-size.ts';

export const CONNECTIONS = pickSize({ full: 100_000, small: 2_000 });
export const TEAMS = pickSize({ full: 1_000, small: 50 });
export const ROUNDS = pickSize({ full: 3, small: 1 });
/** How long the bystander is measured without a containment, and at least how long with one. */
export const MEASURED_MS = pickSize({ full: 20_000, small: 6_000 });
