import { isDeepStrictEqual } from 'node:util';
import { BEFORE_IDS, type PageQuery } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved } from '../errors.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { checkTeamSettings, type Team, type TeamSettings } from '../records/team.ts';
import { getTeam, listTeamsAfter, updateTeam } from '../records/team-store.ts';
import { getChecklist, putChecklistDismissed, putRecipientsChosen, putWelcomed } from './checklist-store.ts';
import { createTeam } from './create-team.ts';
import { lockAdmin } from './lock-caller.ts';

/** Finds the fields that differ, because a form also sends unchanged ones. */
const findChanged = (team: Team, wish: Partial<TeamSettings>): string[] =>
  Object.entries(wish).flatMap(([field, value]) =>
    isDeepStrictEqual(team[field as keyof TeamSettings], value) ? [] : [field],
  );

const refuseMissing = (team: Team | undefined): Team => {
  if (!team) throw callerRemoved();
  return team;
};

export const createTeamRegister = (context: TeamsContext) => {
  const { database, clock } = context;

  /** Changes a team's settings. Saving without a change leaves no audit entry. */
  const change = async (teamId: string, actor: AuditActor, wish: Partial<TeamSettings>): Promise<Team | undefined> => {
    const checked = checkTeamSettings(wish);
    return database.transaction(async (tx) => {
      const team = await getTeam(tx, teamId, 'for no key update');
      if (!team) return undefined;
      await lockAdmin(tx, teamId, actor);
      // Saving the recipients completes the step in the checklist, even if they are unchanged.
      if (checked.reportRecipients !== undefined) await putRecipientsChosen(tx, teamId, clock.now());
      if (checked.name !== undefined || checked.timeZone !== undefined) await putWelcomed(tx, teamId, clock.now());
      const fields = findChanged(team, checked);
      if (fields.length === 0) return team;
      const changed: Team = { ...team, ...checked };
      await updateTeam(tx, teamId, changed);
      await recordAudit(context, tx, teamId, actor, { action: 'team.change', target: teamId, detail: { fields } });
      return changed;
    });
  };

  return {
    /** Lists all teams by ID, for the operator. */
    list: (query: PageQuery) =>
      readIdPage(query, (after, limit) => listTeamsAfter(database, after ?? BEFORE_IDS, limit)),

    /** Gets the caller's own team. */
    get: async (teamId: string): Promise<Team> => refuseMissing(await getTeam(database, teamId)),

    create: (actor: AuditActor, name: string): Promise<Team | null> =>
      database.transaction(async (tx) => {
        const team = await createTeam(context, tx, name);
        if (team) await recordAudit(context, tx, team.id, actor, { action: 'team.create', target: team.id });
        return team;
      }),

    change: async (teamId: string, actor: AuditActor, wish: Partial<TeamSettings>): Promise<Team> =>
      refuseMissing(await change(teamId, actor, wish)),

    /** Changes any team, for the operator. Undefined if the team is gone or being erased. */
    changeAny: change,

    /** The steps of a new team's checklist that can't be derived from other data. */
    getChecklist: (teamId: string) => getChecklist(database, teamId),

    /** Hides the checklist for all admins of the team. */
    dismissChecklist: (teamId: string) => putChecklistDismissed(database, teamId, clock.now()),
  };
};

export type TeamRegister = ReturnType<typeof createTeamRegister>;
