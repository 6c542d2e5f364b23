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

/** Opened only when a command runs: its help needs no database. */
export type OpenTeams = () => Promise<TeamCommandDependencies>;

const MOST_NAME = 200;

/** What the API takes for a name. */
export const readName = (text: string, what: string): string => {
  if (text.trim() === '' || text.length > MOST_NAME)
    throw new UsageRefused(`${what} has 1 to ${MOST_NAME} characters, and not only spaces.`);
  return text;
};

export const teamOption = { team: { type: 'string', about: "the team's id; default: the first team" } } as const;

export const pickTeam = async (
  { database }: TeamCommandDependencies,
  asked: string | boolean | undefined,
): Promise<string> => {
  const id = typeof asked === 'string' ? asked : await getFirstTeamId(database);
  const team = id === undefined ? undefined : await getTeam(database, id);
  if (!team) throw new CommandRefused('There is no such team: "team list" shows them.');
  return team.id;
};

export const userTeamOption = {
  team: { type: 'string', about: "the team's id, for an address that is in several teams" },
} as const;

/** Where the owner of the address was last comes first. */
const findUsers = async (
  { database }: TeamCommandDependencies,
  email: string,
  teamId: string | boolean | undefined,
): Promise<[User, ...User[]]> => {
  const users = await listUsersByEmail(database, normalizeEmail(email));
  const [user, ...others] = typeof teamId === 'string' ? users.filter((one) => one.teamId === teamId) : users;
  if (!user)
    throw new CommandRefused('Nobody has this address: "user list" shows who is there, "user add" adds somebody.');
  return [user, ...others];
};

/** For a link: whoever signs in with it chooses the team. */
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
    throw new CommandRefused(`This address is in several teams. Add --team with the id of one of these:\n${table}`);
  }
  return user;
};
