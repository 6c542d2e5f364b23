import { type Clock, createRateLimit, type TurnLimits } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';
import { rateLimited } from '../errors.ts';

/**
 * A team's limits as a multiple of one caller's: enough for several programs at full speed, and for people meanwhile.
 */
const TEAM = { rate: 3, atOnce: 2 } as const;
/** How many seconds' worth of requests may arrive at once. */
const BURST_SECONDS = 2;
const LEAST_BURST = 50;
/** How long a caller who is too fast waits at most. Requests that would wait longer are refused. */
const PATIENCE_MS = 1_000;
/** The lowest limit for a caller's requests in progress. The default rate of 6,000 a minute gives the same limit. */
const LEAST_AT_ONCE = 8;
const PER_MINUTE_AND_TURN = 750;

type RatedCaller = Pick<Caller, 'userId' | 'teamId' | 'restriction' | 'tokenId'>;

/**
 * Limits how fast a caller and a whole team may send requests, and how many may be in progress or waiting. All limits
 * follow from `perMinute`. docs/decisions/028-teams-take-turns.md
 */
export const createCallerLimit = ({ clock, perMinute }: { clock: Clock; perMinute: number }) => {
  const burst = Math.max(Math.min(LEAST_BURST, perMinute), Math.floor((perMinute / 60) * BURST_SECONDS));
  const minutes = burst / perMinute;
  const ofCallers = createRateLimit({ clock, perMinute, minutes });
  const ofTeams = createRateLimit({ clock, perMinute: perMinute * TEAM.rate, minutes });
  /**
   * As many requests may wait as the rate admits at once. Otherwise, if all of them are slow, some would be refused.
   */
  const mostWaiting = burst + Math.ceil((perMinute / 60_000) * PATIENCE_MS);
  const atOnce = Math.max(LEAST_AT_ONCE, Math.floor(perMinute / PER_MINUTE_AND_TURN));

  return {
    /** Takes one request. Returns how many milliseconds it must wait, or throws if that would be too long. */
    take({ userId, teamId, restriction, tokenId }: RatedCaller): number {
      // A restricted token has a rate of its own, so that it can't keep its maker from revoking it.
      const who = restriction ? `${userId} ${tokenId}` : userId;
      const ofCaller = ofCallers.takeWithin(PATIENCE_MS, who);
      if (ofCaller === null) throw rateLimited(ofCallers.look(who));
      const ofTeam = ofTeams.takeWithin(PATIENCE_MS, teamId);
      if (ofTeam !== null) return Math.max(ofCaller, ofTeam);
      ofCallers.giveBack(who);
      throw rateLimited(ofTeams.look(teamId));
    },
    /** How many requests of one member, and of the whole team, may be in progress or waiting. */
    turns: {
      perMember: atOnce,
      perOwner: atOnce * TEAM.atOnce,
      mostWaiting: { perMember: mostWaiting, perOwner: mostWaiting * TEAM.rate },
    } satisfies TurnLimits,
  };
};

export type CallerLimit = ReturnType<typeof createCallerLimit>;
