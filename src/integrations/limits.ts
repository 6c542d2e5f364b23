import type { TurnLimits } from '../platform/index.ts';
import { tooManyConnects } from './errors.ts';

/**
 * How much work of the integrations may run at once, and how much may wait. An owner is a team, and a member is a
 * person.
 */
export const LIMITS = {
  /**
   * Connects that are being finished. A person has one or two at a time. A request that waits too long is refused
   * before its code is used up, so it can be tried again.
   */
  connects: {
    perMember: 4,
    perOwner: 8,
    mostWaiting: { perMember: 20, perOwner: 60 },
    patienceMs: 4_000,
    refuse: tooManyConnects,
  },
} as const satisfies Readonly<Record<string, TurnLimits>>;
