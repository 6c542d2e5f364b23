import type { TurnLimits } from '../platform/index.ts';
import { tooManyConnects } from './errors.ts';

/** How much of what this room does may happen at once, and how much of it waits. An owner is a team; a member, a person. */
export const LIMITS = {
  /** People have one or two at a time. Anyone who waits too long is refused before anything is used up, and can try again. */
  connects: {
    perMember: 4,
    perOwner: 8,
    mostWaiting: { perMember: 20, perOwner: 60 },
    patienceMs: 4_000,
    refuse: tooManyConnects,
  },
} as const satisfies Readonly<Record<string, TurnLimits>>;
