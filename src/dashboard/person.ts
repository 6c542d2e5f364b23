import type { FastifyRequest } from 'fastify';
import { describeWanted, type Role, unauthorized } from '../http/index.ts';
import type { Database } from '../platform/index.ts';
import { getTeam, getUser, type Team } from '../teams/index.ts';

/** Who looks at a page. */
export type Person = { userId: string; who: string; role: Role; csrfToken: string; team: Team };

/** Pages are for people who are signed in. A program that brings a bearer has the API. */
export const loadPerson = async ({ database }: { database: Database }, { caller }: FastifyRequest): Promise<Person> => {
  const csrfToken = caller?.csrfToken;
  if (!caller || csrfToken === undefined) throw unauthorized(describeWanted('member'));
  const { teamId, userId, role } = caller;
  const [user, team] = await Promise.all([getUser(database, teamId, userId), getTeam(database, teamId)]);
  if (!user || !team) throw unauthorized(describeWanted('member'));
  return { userId, who: user.email ?? user.name ?? 'a member', role, csrfToken, team };
};
