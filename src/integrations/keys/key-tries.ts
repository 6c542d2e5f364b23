import { type Clock, createRateLimit, oncePer } from '../../platform/index.ts';
import { tooManyKeys } from './errors.ts';

/**
 * Limits for keys that the provider didn't accept. People mistype a key a few times, but someone who tries many may be
 * testing keys that aren't theirs.
 */
const REJECTED = { member: { perMinute: 2, minutes: 10 }, team: { perMinute: 6, minutes: 10 } };
/**
 * The limit for all keys of a team, including accepted ones. A provider that is asked too often may block all teams.
 */
const ASKED = { perMinute: 60, minutes: 5 };

const limitsFor = oncePer((clock: Clock) => ({
  ofMembers: createRateLimit({ clock, ...REJECTED.member }),
  ofTeams: createRateLimit({ clock, ...REJECTED.team }),
  asked: createRateLimit({ clock, ...ASKED }),
}));

/**
 * The person who tries a key. `userId` is null if the person may not be the user who started the connect. All such
 * people of a team share one person's limit, and don't use up the team's limit for rejected keys.
 */
export type Trier = { teamId: string; userId: string | null };

/**
 * Takes a try before the provider is asked. Call the returned function to give the try back if the key was accepted.
 */
export const takeTry = (clock: Clock, { teamId, userId }: Trier): (() => void) => {
  const { ofMembers, ofTeams, asked } = limitsFor(clock);
  const buckets = [
    [asked, teamId] as const,
    [ofMembers, `${teamId} ${userId ?? ''}`] as const,
    ...(userId === null ? [] : [[ofTeams, teamId] as const]),
  ];
  const waitSeconds = Math.max(...buckets.map(([limit, key]) => limit.look(key)));
  if (waitSeconds > 0) throw tooManyKeys(waitSeconds);
  for (const [limit, key] of buckets) limit.take(key);
  return () => {
    for (const [limit, key] of buckets) if (limit !== asked) limit.giveBack(key);
  };
};
