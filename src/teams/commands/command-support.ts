import {
  type CommandInput,
  CommandRefused,
  type Database,
  printTable,
  toIsoOrNull,
  UsageRefused,
} from '../../platform/index.ts';
import { findByIdOrKey } from '../erasure/erasing-team-store.ts';
import type { Members } from '../members/members.ts';
import { normalizeEmail } from '../records/add-user.ts';
import { getFirstTeamId, getTeam } from '../records/team-store.ts';
import { findMemberByEmail, listUsersByEmail } from '../records/user-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { TeamRegister } from '../team/team-register.ts';
import type { AccessTokens } from '../tokens/tokens.ts';

/** Opens the database when a command runs, because its help needs no database. */
export type OpenTeams = () => Promise<{
  database: Database;
  teams: { team: TeamRegister; members: Members; tokens: AccessTokens; sessions: Sessions };
}>;

const MOST_NAME = 200;

/** Accepts the same names as the API. */
export const readPersonName = (text: string, what: string): string => {
  if (text.trim() === '' || text.length > MOST_NAME)
    throw new UsageRefused(`${what} must be 1 to ${MOST_NAME} characters long and not blank.`);
  return text;
};

/** The record for JSON, with its times as text. */
export const withIsoTimes = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, key.endsWith('At') ? toIsoOrNull(value) : value]),
  );

const ID_OR_KEY = "the team's ID or key (the ID, if it is both)";

export const teamOption = { team: { type: 'string', about: `${ID_OR_KEY}; default: the first team` } } as const;

export const pickTeam = async (
  { database }: { database: Database },
  asked: string | boolean | undefined,
): Promise<string> => {
  const id = typeof asked === 'string' ? (await findByIdOrKey(database, asked))?.id : await getFirstTeamId(database);
  const team = id === undefined ? undefined : await getTeam(database, id);
  if (!team) throw new CommandRefused('There is no such team. Run "team list" to see all teams.');
  return team.id;
};

export const openTeam = async (open: OpenTeams, { team }: CommandInput['options']) => {
  const { database, teams } = await open();
  return { ...teams, teamId: await pickTeam({ database }, team) };
};

export const userTeamOption = {
  team: { type: 'string', about: `${ID_OR_KEY}, if the address is in several teams` },
} as const;

/** Finds a user for a sign-in link, in any of the person's teams: they choose a team after signing in. */
export const openAnyUser = async (open: OpenTeams, email = '', { team }: CommandInput['options']) => {
  const { database, teams } = await open();
  const asked = typeof team === 'string' ? await pickTeam({ database }, team) : null;
  const address = normalizeEmail(email);
  const inTeam = asked === null ? undefined : await findMemberByEmail(database, asked, address);
  const users = asked === null ? await listUsersByEmail(database, address) : [inTeam ?? []].flat();
  const [user] = users;
  if (!user)
    throw new CommandRefused('No user has this email address. Run "user list" to see users or "user add" to add one.');
  return { ...teams, database, users, user, teamId: asked };
};

export const openUser = async (open: OpenTeams, email: string | undefined, options: CommandInput['options']) => {
  const { users, database, ...opened } = await openAnyUser(open, email, options);
  if (users.length === 1) return opened;
  const rows = [];
  for (const { teamId } of users) rows.push([teamId, (await getTeam(database, teamId))?.name ?? '']);
  const table = printTable(['id', 'name'], rows);
  throw new CommandRefused(`This email address is in several teams. Add --team with one of these IDs:\n${table}`);
};
