import type { App } from '../../src/app.ts';
import type { Transaction } from '../../src/platform/index.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';

export type Owner = { teamId: string; accountId: string };

/** Adds a team with an account for generated calls. Its values can't be decrypted, so nothing may try to. */
export const addOwner = async (app: App, tx: Transaction, number: number, removedAt: number | null): Promise<Owner> => {
  const team = await createTeam(app, tx, `team ${number}`);
  if (!team) throw new Error('A team was not made.');
  const accountId = app.newId();
  await tx.run(
    `insert into telephony_accounts (id, team_id, provider, secrets, mode, removes_archived, change, created_at, removed_at)
      values ($1, $2, 'none', '', 'enforce', 0, $3, 1, $4)`,
    [accountId, team.id, -1 - number, removedAt],
  );
  return { teamId: team.id, accountId };
};
