import { deleteContainedTokens, lockAdmin, recordAudit } from '../../teams/index.ts';
import type { Containment } from '../containment/containment.ts';
import { getContainment, markLifted } from '../containment/containment-store.ts';
import { containDue } from './contain-due.job.ts';
import { recordContainment } from './containment-event.ts';
import type { IncidentsContext } from './context.ts';
import { containmentOfOperator, containmentUnknown } from './errors.ts';
import type { Asker } from './prepare-containment.ts';

/** Ends a containment. What was revoked stays revoked. A containment that was lifted before stays as it is. */
export const liftContainment = (
  context: IncidentsContext,
  id: string,
  { owner, actor }: Asker,
): Promise<Containment> => {
  const { database, clock, jobs, forgetCallers, forgetStatus } = context;
  return database.transaction(async (tx) => {
    if (owner !== null) await lockAdmin(tx, owner, actor);
    const containment = await getContainment(tx, owner, id, 'for update');
    if (!containment) throw containmentUnknown();
    if (containment.teamId !== owner) throw containmentOfOperator();
    if (containment.liftedAt !== null) return containment;
    const now = clock.now();
    const phase = containment.stopsConnections ? 'waking' : 'done';
    await markLifted(tx, { id, phase }, now);
    await deleteContainedTokens(tx, id);
    const lifted: Containment = { ...containment, phase, liftedAt: now };
    await recordAudit(context, tx, containment.ofTeamId, actor, { action: 'containment.lift', target: id });
    await recordContainment(context, tx, 'containment.lifted', lifted);
    await jobs.hasten(tx, containDue);
    tx.afterCommit(() => {
      forgetCallers();
      forgetStatus(containment.ofTeamId ?? '');
    });
    return lifted;
  });
};
