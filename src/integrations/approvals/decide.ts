import type { Caller } from '../../http/index.ts';
import { withinOrNull, workFor } from '../../platform/index.ts';
import { type AuditActor, begunWith, getUser, lockAdmin, recordAudit } from '../../teams/index.ts';
import { nameUser } from '../connections/named-user.ts';
import { type Approval, BEFORE_MARK_MS, stateAt } from './approval.ts';
import { openTarget } from './approval-content.ts';
import { toApprovalEvent } from './approval-event.ts';
import { getApproval, markApproved, markRefused } from './approval-store.ts';
import { auditDetailOf } from './audit-approval.ts';
import type { ApprovalsContext } from './context.ts';
import { approvalDecided, approvalUnknown } from './errors.ts';
import { sendApproved } from './send-approved.ts';

/** How long an admin who approves waits for the outcome. The request goes on without them. */
const PATIENCE_MS = 10_000;

type Decider = { caller: Caller; actor: AuditActor };

const isOperator = ({ via }: Caller): boolean => via === 'operator' || via === 'admin_token';

/** Decides in one statement, so that of two admins who decide at once, only the first does. */
const decide = async (
  context: ApprovalsContext,
  { caller, actor }: Decider,
  id: string,
  as: 'sending' | 'refused',
): Promise<Approval> => {
  const { database, clock, vault, record } = context;
  const { teamId, userId } = caller;
  const known = await getApproval(database, { teamId, id });
  if (!known) throw approvalUnknown();
  const target = await openTarget(vault, known);
  return database.transaction(async (tx) => {
    await lockAdmin(tx, teamId, actor);
    const now = clock.now();
    const decidedWith = isOperator(caller) ? null : begunWith(caller);
    const leaseUntil = now + BEFORE_MARK_MS;
    const changed =
      as === 'sending'
        ? await markApproved(tx, known, { userId, decidedWith, now, leaseUntil })
        : await markRefused(tx, known, { userId, now });
    if (changed === 0) {
      const current = await getApproval(tx, { teamId, id });
      throw current ? approvalDecided(stateAt(current, now)) : approvalUnknown();
    }
    const decided = { ...known, state: as, decidedBy: userId, decidedWith, decidedAt: now, leaseUntil };
    const user = await getUser(tx, teamId, userId);
    const decider = user ? nameUser(user) : null;
    await record(tx, toApprovalEvent(context, 'approval.decided', decided, { target, decider }));
    const action = as === 'sending' ? 'approval.approve' : 'approval.refuse';
    await recordAudit(context, tx, teamId, actor, { action, target: id, detail: auditDetailOf(known, target.method) });
    return decided;
  });
};

/** Approves a request, and sends it. Waits a while for the outcome. */
export const approveRequest = async (context: ApprovalsContext, decider: Decider, id: string): Promise<void> => {
  const approved = await decide(context, decider, id, 'sending');
  await withinOrNull(
    PATIENCE_MS,
    workFor(approved.teamId, () => sendApproved(context, approved, approved.leaseUntil ?? 0)),
  );
};

export const refuseRequest = async (context: ApprovalsContext, decider: Decider, id: string): Promise<void> => {
  await decide(context, decider, id, 'refused');
};
