import type { TurnLimits } from '../platform/index.ts';
import { tooManySlackTests } from './errors.ts';

/** How many of these tasks may run at once, and how many may wait. An owner is a team; a member is a person. */
export const LIMITS = {
  /** Test messages to Slack. A person waits for each of them until Slack responds. */
  slackTests: {
    perMember: 2,
    perOwner: 4,
    mostWaiting: { perMember: 4, perOwner: 8 },
    patienceMs: 2_000,
    refuse: tooManySlackTests,
  },
} as const satisfies Readonly<Record<string, TurnLimits>>;
