import { isDeepStrictEqual } from 'node:util';
import { BEFORE_IDS, type PageQuery } from '../../platform/index.ts';
import type { AuditActor } from '../records/audit-store.ts';
import type { TeamsContext } from '../records/context.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { recordAudit } from '../records/record-audit.ts';
import { checkTeamSettings, type Team, type TeamSettings } from '../records/team.ts';
import { getTeam, listTeamsAfter, updateTeam } from '../records/team-store.ts';
import { createTeam } from './create-team.ts';

/** A form sends all of its fields, whether or not anyone has changed them. */
const findChanged = (team: Team, wish: Partial<TeamSettings>): string[] =>
  Object.entries(wish).flatMap(([field, value]) =>
    isDeepStrictEqual(team[field as keyof TeamSettings], value) ? [] : [field],
  );

const refuseMissing = (team: Team | undefined): Team => {
  if (!team) throw new Error("The caller's team does not exist.");
  return team;
};

export const createTeamRegister = (context: TeamsContext) => {
  const { database } = context;
  return {
    /** All teams, by id. For the operator. */
    list: (query: PageQuery) =>
      readIdPage(query, (after, limit) => listTeamsAfter(database, after ?? BEFORE_IDS, limit)),

    /** The caller's own. */
    get: async (teamId: string): Promise<Team> => refuseMissing(await getTeam(database, teamId)),

    create: (actor: AuditActor, name: string): Promise<Team | null> =>
      database.transaction(async (tx) => {
        const team = await createTeam(context, tx, name);
        if (team) await recordAudit(context, tx, team.id, actor, { action: 'team.create', target: team.id });
        return team;
      }),

    /** Saving without a change leaves no audit entry. */
    async change(teamId: string, actor: AuditActor, change: Partial<TeamSettings>): Promise<Team> {
      const checked = checkTeamSettings(change);
      return database.transaction(async (tx) => {
        const team = refuseMissing(await getTeam(tx, teamId, 'for update'));
        const fields = findChanged(team, checked);
        if (fields.length === 0) return team;
        const changed: Team = { ...team, ...checked };
        await updateTeam(tx, teamId, changed);
        await recordAudit(context, tx, teamId, actor, { action: 'team.change', target: teamId, detail: { fields } });
        return changed;
      });
    },
  };
};

export type TeamRegister = ReturnType<typeof createTeamRegister>;
