import { type Clock, createRateLimit, oncePer } from '../../platform/index.ts';
import { tooManyKeys } from './errors.ts';

/** Keys that weren't accepted, in ten minutes. People mistype one a few times. Whoever tries many has them from elsewhere. */
const REJECTED = { member: { perMinute: 2, minutes: 10 }, team: { perMinute: 6, minutes: 10 } };
/** Also of those that are accepted: a provider that is asked too often stops responding to all teams. */
const ASKED = { perMinute: 60, minutes: 5 };

const limitsFor = oncePer((clock: Clock) => ({
  ofMembers: createRateLimit({ clock, ...REJECTED.member }),
  ofTeams: createRateLimit({ clock, ...REJECTED.team }),
  asked: createRateLimit({ clock, ...ASKED }),
}));

/** `userId` is null for those without proof. They share one person's tries, and take none of the team's. */
export type Trier = { teamId: string; userId: string | null };

/** Takes a try before the provider is asked. Returns how to give it back, for a key that it accepts. */
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
