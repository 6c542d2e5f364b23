import { isDeepStrictEqual } from 'node:util';
import type { Clock, Database, NewId } from '../../platform/index.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import { checkTeamSettings, type Team, type TeamSettings } from '../records/team.ts';
import { getTeamForUpdate, updateTeam } from '../records/team-store.ts';

/** A form sends all of its fields, whether or not anybody has touched them. */
const findChanged = (team: Team, wish: Partial<TeamSettings>): string[] =>
  Object.entries(wish).flatMap(([field, value]) =>
    isDeepStrictEqual(team[field as keyof TeamSettings], value) ? [] : [field],
  );

/** Saved as it was, it changes nothing and leaves no entry. */
export const changeTeam = async (
  dependencies: { database: Database; clock: Clock; newId: NewId },
  teamId: string,
  actor: AuditActor,
  change: Partial<TeamSettings>,
): Promise<Team> => {
  const checked = checkTeamSettings(change);
  return dependencies.database.transaction(async (tx) => {
    const team = await getTeamForUpdate(tx, teamId);
    if (!team) throw new Error('A caller is of a team that does not exist.');
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
