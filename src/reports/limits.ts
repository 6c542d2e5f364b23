import type { TurnLimits } from '../platform/index.ts';
import { tooManySlackTests } from './errors.ts';

/** How much of what this room does may happen at once, and how much of it waits. An owner is a team; a member, a person. */
export const LIMITS = {
  /** Test messages that someone waits for, each as long as Slack takes. */
  slackTests: {
    perMember: 2,
    perOwner: 4,
    mostWaiting: { perMember: 4, perOwner: 8 },
    patienceMs: 2_000,
    refuse: tooManySlackTests,
  },
} as const satisfies Readonly<Record<string, TurnLimits>>;
