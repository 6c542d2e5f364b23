import { isDeepStrictEqual } from 'node:util';
import type { Clock, Database, NewId } from '../../platform/index.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import { checkTeamSettings, type Team, type TeamSettings } from '../records/team.ts';
import { getTeamForUpdate, updateTeam } from '../records/team-store.ts';

/** A form sends all of its fields, whether or not anyone has changed them. */
const findChanged = (team: Team, wish: Partial<TeamSettings>): string[] =>
  Object.entries(wish).flatMap(([field, value]) =>
    isDeepStrictEqual(team[field as keyof TeamSettings], value) ? [] : [field],
  );

/** Saving without a change leaves no audit entry. */
export const changeTeam = async (
  dependencies: { database: Database; clock: Clock; newId: NewId },
  teamId: string,
  actor: AuditActor,
  change: Partial<TeamSettings>,
): Promise<Team> => {
  const checked = checkTeamSettings(change);
  return dependencies.database.transaction(async (tx) => {
    const team = await getTeamForUpdate(tx, teamId);
    if (!team) throw new Error("The caller's team does not exist.");
    const fields = findChanged(team, checked);
    if (fields.length === 0) return team;
    const changed: Team = { ...team, ...checked };
    await updateTeam(tx, teamId, changed);
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'team.change',
      target: teamId,
      detail: { fields },
    });
    return changed;
  });
};
