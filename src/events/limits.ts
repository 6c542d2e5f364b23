import type { TurnLimits } from '../platform/index.ts';
import { tooManyTests } from './errors.ts';

/** How many of these tasks may run at once, and how many may wait. An owner is a team; a member is a person. */
export const LIMITS = {
  /** Reads of the log, before events are sent to an endpoint. */
  reads: { atOnce: 8 },
  /** Test events. A person waits for each of them until its receiver responds. */
  tests: {
    perMember: 2,
    perOwner: 4,
    mostWaiting: { perMember: 4, perOwner: 8 },
    patienceMs: 2_000,
    refuse: tooManyTests,
  },
  /** Requests to endpoints whose last response was a success. All others have their own limit (`troubled`). */
  steady: { atOnce: 512 },
  troubled: { atOnce: 64 },
  /** Requests of one team, to steady and troubled endpoints together. */
  requests: { perOwner: 32 },
  /** Slow requests. After half a second, a request is counted here instead of above, so that others can start. */
  steadyAside: { atOnce: 2_048 },
  troubledAside: { atOnce: 512 },
  requestsAside: { perOwner: 32 },
} as const satisfies Readonly<Record<string, TurnLimits>>;
