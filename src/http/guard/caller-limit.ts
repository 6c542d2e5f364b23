import type { Clock } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';
import { rateLimited } from '../errors.ts';
import { createRateLimit } from './rate-limit.ts';

/** How much a team may do, compared with one caller: several programs at full speed, and people meanwhile. */
const TEAM = { rate: 3, atOnce: 2 } as const;
/** What may come at once, in seconds' worth of requests. */
const BURST_SECONDS = 2;
const LEAST_BURST = 50;
/** Whoever is a little too fast is slowed down, and not refused. */
const PATIENCE_MS = 1_000;
/** At the default of 6,000 a minute, this is also the result. */
const LEAST_AT_ONCE = 8;
const PER_MINUTE_AND_SLOT = 750;

/**
 * How fast a caller and a whole team may send requests, and how many of them may be in progress and wait. All of it
 * follows from one number. docs/decisions/028-teams-take-turns.md
 */
export const createCallerLimit = ({ clock, perMinute }: { clock: Clock; perMinute: number }) => {
  const burst = Math.max(Math.min(LEAST_BURST, perMinute), Math.floor((perMinute / 60) * BURST_SECONDS));
  const minutes = burst / perMinute;
  const ofCallers = createRateLimit({ clock, perMinute, minutes });
  const ofTeams = createRateLimit({ clock, perMinute: perMinute * TEAM.rate, minutes });
  /** The rate decides how many there are, so as many can wait: they may all be slow. */
  const mostWaiting = burst + Math.ceil((perMinute / 60_000) * PATIENCE_MS);
  const atOnce = Math.max(LEAST_AT_ONCE, Math.floor(perMinute / PER_MINUTE_AND_SLOT));

  return {
    /** Takes one request. Returns how many milliseconds it must wait, or throws if that would be too long. */
    take({ userId, teamId }: Pick<Caller, 'userId' | 'teamId'>): number {
      const ofCaller = ofCallers.takeWithin(PATIENCE_MS, userId);
      if (ofCaller === null) throw rateLimited(ofCallers.look(userId));
      const ofTeam = ofTeams.takeWithin(PATIENCE_MS, teamId);
      if (ofTeam !== null) return Math.max(ofCaller, ofTeam);
      ofCallers.giveBack(userId);
      throw rateLimited(ofTeams.look(teamId));
    },
    /** For the line: of one member, and of the whole team. */
    atOnce: { member: atOnce, team: atOnce * TEAM.atOnce },
    mostWaiting: { member: mostWaiting, team: mostWaiting * TEAM.rate },
  };
};

export type CallerLimit = ReturnType<typeof createCallerLimit>;
