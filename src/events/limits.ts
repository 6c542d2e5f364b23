import type { TurnLimits } from '../platform/index.ts';
import { tooManyTests } from './errors.ts';

/** How much of this room's work may run at once, and how much may wait. An owner is a team; a member is a person. */
export const LIMITS = {
  /** Reads of the log by feeds. */
  reads: { atOnce: 8 },
  /** Test events. A person waits for each, as long as its receiver takes. */
  tests: {
    perMember: 2,
    perOwner: 4,
    mostWaiting: { perMember: 4, perOwner: 8 },
    patienceMs: 2_000,
    refuse: tooManyTests,
  },
  /** Requests to endpoints whose last response was a success. */
  steady: { atOnce: 512 },
  /** Requests to all other endpoints. They never take the turns of the steady ones. */
  troubled: { atOnce: 64 },
  /** Requests of one team, steady and troubled together. */
  requests: { perOwner: 32 },
  /** Requests that take long. They have stepped aside to make room for others. */
  steadyAside: { atOnce: 2_048 },
  troubledAside: { atOnce: 512 },
  requestsAside: { perOwner: 32 },
} as const satisfies Readonly<Record<string, TurnLimits>>;
