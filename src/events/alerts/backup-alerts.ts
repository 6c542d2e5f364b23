import type { Transaction } from '../../platform/index.ts';
import { getFirstTeamId, lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import { openWithText, resolveAlert } from './alert-store.ts';
import { lockAlerts, putDue } from './alert-team-store.ts';

const SUBJECT = 'backup';

/** Calls `work` with the first team, whose admins get the operator's alerts. */
const inFirstTeam = async (
  { database }: EventsContext,
  work: (tx: Transaction, teamId: string) => Promise<void>,
): Promise<void> => {
  const teamId = await getFirstTeamId(database);
  if (teamId === undefined) return;
  await database.transaction(async (tx) => {
    if (!(await lockTeam(tx, teamId))) return;
    await lockAlerts(tx, teamId);
    await work(tx, teamId);
  });
};

/** Opens an alert about backups, unless one is open. `problem` isn't sealed, because it's our own text. */
export const openBackupAlert = (
  context: EventsContext,
  { reason, problem }: { reason: 'failed' | 'overdue'; problem: string },
): Promise<void> =>
  inFirstTeam(context, async (tx, teamId) => {
    const openedAt = context.clock.now();
    const alert = { id: context.newId(), teamId, kind: 'backup', subject: SUBJECT, openedAt, tellAt: null } as const;
    if ((await openWithText(tx, { ...alert, text: problem, reason })) > 0) await putDue(tx, teamId, openedAt);
  });

export const resolveBackupAlert = (context: EventsContext): Promise<void> =>
  inFirstTeam(context, async (tx, teamId) => {
    const at = context.clock.now();
    const resolved = await resolveAlert(tx, { teamId, kind: 'backup', subject: SUBJECT }, { as: 'completed', at });
    if (resolved > 0) await putDue(tx, teamId, at);
  });
