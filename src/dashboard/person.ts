import type { FastifyRequest } from 'fastify';
import { describeWanted, type Role, unauthorized } from '../http/index.ts';
import { getTeam, getUser, listMemberships, type Membership, type Team } from '../teams/index.ts';
import type { DashboardContext } from './context.ts';
import { hourCycleFor, type Region } from './display/region.ts';

/** The person who views a page. */
export type Person = {
  userId: string;
  who: string;
  role: Role;
  csrfToken: string;
  team: Team;
  /** How the person reads times and phone numbers. */
  region: Region;
  /** The teams that the person can switch to. */
  otherTeams: readonly Membership[];
};

export type PersonContext = Pick<DashboardContext, 'database' | 'clock' | 'telephony'>;

/**
 * Loads the person from the session. Pages are only for people who are signed in; programs with a bearer token use the
 * API.
 */
export const loadPerson = async (
  { database, clock, telephony }: PersonContext,
  { caller, headers }: FastifyRequest,
): Promise<Person> => {
  const { csrfToken, sessionId } = caller ?? {};
  if (!caller || csrfToken === undefined || sessionId === undefined) throw unauthorized(describeWanted('member'));
  const { teamId, userId, role } = caller;
  const [user, team, memberships, callingCode] = await Promise.all([
    getUser(database, teamId, userId),
    getTeam(database, teamId),
    listMemberships(database, { teamId, userId, sessionId }),
    telephony.numbers.getCallingCode(teamId),
  ]);
  if (!user || !team) throw unauthorized(describeWanted('member'));
  const otherTeams = memberships.filter((one) => one.teamId !== teamId);
  const region = { timeZone: team.timeZone, hourCycle: hourCycleFor(headers), callingCode, now: clock.now() };
  return { userId, who: user.email ?? user.name ?? 'a member', role, csrfToken, team, region, otherTeams };
};
