import {
  type Clock,
  CommandRefused,
  type Database,
  type NewId,
  printTable,
  UsageRefused,
} from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { normalizeEmail } from '../records/add-user.ts';
import type { TeamLimits } from '../records/team-limits.ts';
import { getFirstTeamId, getTeam } from '../records/team-store.ts';
import { listUsersByEmail, type User } from '../records/user-store.ts';

export type TeamCommandDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  vault: Vault;
  url: string;
  limits: TeamLimits;
  forgetCallers(): void;
};

/** Opened only when a command runs, since its help needs no database. */
export type OpenTeams = () => Promise<TeamCommandDependencies>;

const MOST_NAME = 200;

/** The same names that the API accepts. */
export const readName = (text: string, what: string): string => {
  if (text.trim() === '' || text.length > MOST_NAME)
    throw new UsageRefused(`${what} must be 1 to ${MOST_NAME} characters long and not blank.`);
  return text;
};

export const teamOption = { team: { type: 'string', about: "the team's id; default: the first team" } } as const;

export const pickTeam = async (
  { database }: TeamCommandDependencies,
  asked: string | boolean | undefined,
): Promise<string> => {
  const id = typeof asked === 'string' ? asked : await getFirstTeamId(database);
  const team = id === undefined ? undefined : await getTeam(database, id);
  if (!team) throw new CommandRefused('There is no such team. Run "team list" to see all teams.');
  return team.id;
};

export const userTeamOption = {
  team: { type: 'string', about: "the team's id, if the address is in several teams" },
} as const;

/** The team they were in last comes first. */
const findUsers = async (
  { database }: TeamCommandDependencies,
  email: string,
  teamId: string | boolean | undefined,
): Promise<[User, ...User[]]> => {
  const users = await listUsersByEmail(database, normalizeEmail(email));
  const [user, ...others] = typeof teamId === 'string' ? users.filter((one) => one.teamId === teamId) : users;
  if (!user)
    throw new CommandRefused('No user has this email address. Run "user list" to see users or "user add" to add one.');
  return [user, ...others];
};

/** For a sign-in link. Whoever signs in with it chooses the team. */
export const pickAnyUser = async (teams: TeamCommandDependencies, email = '', teamId?: string | boolean) =>
  (await findUsers(teams, email, teamId))[0];

export const pickUser = async (
  teams: TeamCommandDependencies,
  email = '',
  teamId?: string | boolean,
): Promise<User> => {
  const [user, ...others] = await findUsers(teams, email, teamId);
  if (others.length > 0) {
    const rows = [];
    for (const { teamId: id } of [user, ...others]) rows.push([id, (await getTeam(teams.database, id))?.name ?? '']);
    const table = printTable(['id', 'name'], rows);
    throw new CommandRefused(`This email address is in several teams. Add --team with one of these ids:\n${table}`);
  }
  return user;
};
