import { type Clock, CommandRefused, type Database, type NewId } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import { normalizeEmail } from './add-user.ts';
import { getFirstTeamId, getTeam } from './team-store.ts';
import { findUserByEmail, type User } from './user-store.ts';

export type TeamCommandDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  vault: Vault;
  url: string;
  forgetCallers(): void;
};

/** Opened only when a command runs: its help needs no database. */
export type OpenTeams = () => Promise<TeamCommandDependencies>;

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

export const pickUser = async ({ database }: TeamCommandDependencies, email = ''): Promise<User> => {
  const user = await findUserByEmail(database, normalizeEmail(email));
  if (!user)
    throw new CommandRefused('Nobody has this address: "user list" shows who is there, "user add" adds somebody.');
  return user;
};
