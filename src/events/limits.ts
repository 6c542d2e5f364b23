import type { TurnLimits } from '../platform/index.ts';
import { tooManyTests } from './errors.ts';

/** How much of what this room does may happen at once, and how much of it waits. An owner is a team; a member, a person. */
export const LIMITS = {
  /** Reads of the log by feeds. */
  reads: { atOnce: 8 },
  /** Test events that someone waits for, each as long as its receiver takes. */
  tests: {
    perMember: 2,
    perOwner: 4,
    mostWaiting: { perMember: 4, perOwner: 8 },
    patienceMs: 2_000,
    refuse: tooManyTests,
  },
  /** Requests to endpoints whose last response was a good one. */
  steady: { atOnce: 512 },
  /** Requests to other endpoints, which never take the turns of the steady ones. */
  troubled: { atOnce: 64 },
  /** Requests of one team, steady and troubled together. */
  requests: { perOwner: 32 },
  /** Requests that have waited for a while, and made room for others. */
  steadyAside: { atOnce: 2_048 },
  troubledAside: { atOnce: 512 },
  requestsAside: { perOwner: 32 },
} as const satisfies Readonly<Record<string, TurnLimits>>;
