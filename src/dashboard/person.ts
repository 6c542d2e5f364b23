import type { FastifyRequest } from 'fastify';
import { describeWanted, type Role, unauthorized } from '../http/index.ts';
import type { Database } from '../platform/index.ts';
import { getTeam, getUser, listMemberships, type Membership, type Team } from '../teams/index.ts';

/** Who is looking at a page. */
export type Person = {
  userId: string;
  who: string;
  role: Role;
  csrfToken: string;
  team: Team;
  /** The teams they can switch to. */
  otherTeams: readonly Membership[];
};

/** Pages are for people who are signed in. Programs with a bearer token use the API. */
export const loadPerson = async ({ database }: { database: Database }, { caller }: FastifyRequest): Promise<Person> => {
  const { csrfToken, sessionId } = caller ?? {};
  if (!caller || csrfToken === undefined || sessionId === undefined) throw unauthorized(describeWanted('member'));
  const { teamId, userId, role } = caller;
  const [user, team, memberships] = await Promise.all([
    getUser(database, teamId, userId),
    getTeam(database, teamId),
    listMemberships(database, { teamId, userId, sessionId }),
  ]);
  if (!user || !team) throw unauthorized(describeWanted('member'));
  const otherTeams = memberships.filter((one) => one.teamId !== teamId);
  return { userId, who: user.email ?? user.name ?? 'a member', role, csrfToken, team, otherTeams };
};
