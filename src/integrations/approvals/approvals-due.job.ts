import { defineJob } from '../../jobs/index.ts';
import { giveWay, Type } from '../../platform/index.ts';
import { recordAudit, SERVICE } from '../../teams/index.ts';
import { APPROVALS_KEPT_MS, type Approval, BEFORE_MARK_MS, RESPONSE_KEPT_MS } from './approval.ts';
import { openTarget } from './approval-content.ts';
import { toApprovalEvent } from './approval-event.ts';
import { getStoredApproval, markEnded, markExpired, markRefused, takeOver } from './approval-store.ts';
import { auditDetailOf } from './audit-approval.ts';
import { deleteContent, eraseResponses } from './content-store.ts';
import type { ApprovalsContext } from './context.ts';
import { type DueApproval, type DueKind, listDue, listOrphaned } from './due-approval-store.ts';
import { deleteApprovalsBefore, deleteApprovalsOfToken, listEndedTokens } from './old-approval-store.ts';
import { sendApproved } from './send-approved.ts';

export const APPROVALS_EVERY_MS = 5_000;
/** A failed run isn't retried. What it didn't do is still due in the next run. */
export const approvalsDue = defineJob({ name: 'approvals-due', payload: Type.Object({}), attempts: 1 });

export const PRUNE_APPROVALS_EVERY_MS = 60_000;
export const pruneApprovals = defineJob({ name: 'prune-approvals', payload: Type.Object({}) });

const AT_ONCE = 100;
const TOKEN_ENDED = 'The token has ended.';
const DIED = 'The process that sent it has died, so nobody knows whether the provider has carried it out.';

type Which = Pick<Approval, 'teamId' | 'id'>;

/** Opens an approval that is due. Undefined if it was erased meanwhile. */
const openDue = async ({ database, vault }: ApprovalsContext, which: Which) => {
  const approval = await getStoredApproval(database, which);
  return approval && { approval, target: await openTarget(vault, approval) };
};

/** Ends a request that nobody has decided on in time. */
const expireOne = async (context: ApprovalsContext, which: Which): Promise<void> => {
  const { database, clock, record } = context;
  const { teamId, id } = which;
  const due = await openDue(context, which);
  if (!due) return;
  const { approval, target } = due;
  await database.transaction(async (tx) => {
    if ((await markExpired(tx, approval, clock.now())) === 0) return;
    await deleteContent(tx, approval);
    const expired = { ...approval, state: 'expired' as const };
    await record(tx, toApprovalEvent(context, 'approval.decided', expired, { target, decider: null }));
    const detail = auditDetailOf(approval, target.method);
    await recordAudit(context, tx, teamId, SERVICE, { action: 'approval.expire', target: id, detail });
  });
};

/** Ends a request that a process may have sent before it died. */
const giveUp = async (context: ApprovalsContext, which: Which): Promise<void> => {
  const { database, clock } = context;
  const { teamId, id } = which;
  const due = await openDue(context, which);
  if (!due) return;
  const { approval, target } = due;
  await database.transaction(async (tx) => {
    if ((await markEnded(tx, approval, { state: 'unclear', problem: DIED, now: clock.now() })) === 0) return;
    const detail = { ...auditDetailOf(approval, target.method), problem: DIED };
    await recordAudit(context, tx, teamId, SERVICE, { action: 'approval.unclear', target: id, detail });
  });
};

/** Refuses a request whose token has ended. Nobody sees it anymore, but alerts and events have to end. */
const refuseOne = async (context: ApprovalsContext, which: Which): Promise<void> => {
  const { database, clock, record } = context;
  const { teamId, id } = which;
  const due = await openDue(context, which);
  if (!due) return;
  const { approval, target } = due;
  await database.transaction(async (tx) => {
    const now = clock.now();
    const problem = TOKEN_ENDED;
    if ((await markRefused(tx, approval, { userId: null, now, problem })) === 0) return;
    const refused = { ...approval, state: 'refused' as const, decidedAt: now, problem };
    await record(tx, toApprovalEvent(context, 'approval.decided', refused, { target, decider: null }));
    const detail = { ...auditDetailOf(approval, target.method), problem };
    await recordAudit(context, tx, teamId, SERVICE, { action: 'approval.stop', target: id, detail });
  });
};

/** Does what is due: ends what a dead process has left behind, or sends it if nobody has, and what can't be decided. */
export const handleApprovalsDue = (context: ApprovalsContext) => async (): Promise<void> => {
  const { database, clock, log } = context;
  /** One that fails is still due in the next run, and holds up no other. */
  const doEach = async <Row extends Which>(rows: readonly Row[], work: (row: Row) => Promise<void>) => {
    for (const row of rows) {
      await work(row).catch((err) => log.warn({ err, approval: row.id }, 'an approval could not be ended yet'));
      await giveWay();
    }
  };
  const doDue = async (kind: DueKind, work: (row: DueApproval) => Promise<void>) => {
    const now = clock.now();
    for (let after: DueApproval | null = null; ; ) {
      const rows: DueApproval[] = await listDue(database, kind, { now, after, limit: AT_ONCE });
      await doEach(rows, work);
      after = rows.at(-1) ?? null;
      if (rows.length < AT_ONCE) return;
    }
  };
  await doDue('abandoned', async (row) => {
    if (row.begunAt !== null) return giveUp(context, row);
    const now = clock.now();
    const leaseUntil = now + BEFORE_MARK_MS;
    // Don't wait for the provider: others are due, too.
    if ((await takeOver(database, row, { now, leaseUntil })) > 0) void sendApproved(context, row, leaseUntil);
  });
  await doEach(await listOrphaned(database, AT_ONCE), (row) => refuseOne(context, row));
  await doDue('expired', (row) => expireOne(context, row));
};

/** How many responses one statement erases. Each may have a megabyte. */
const RESPONSES_AT_ONCE = 5;
const TOKENS_AT_ONCE = 100;

/** Erases responses after an hour, approvals after 30 days, and what belongs to tokens that have ended. */
export const handlePruneApprovals =
  ({ database, clock }: Pick<ApprovalsContext, 'database' | 'clock'>) =>
  async (): Promise<void> => {
    const now = clock.now();
    while ((await eraseResponses(database, now - RESPONSE_KEPT_MS, RESPONSES_AT_ONCE)) === RESPONSES_AT_ONCE)
      await giveWay();
    for (const tokenId of await listEndedTokens(database, TOKENS_AT_ONCE))
      await deleteApprovalsOfToken(database, tokenId, giveWay);
    await deleteApprovalsBefore(database, now - APPROVALS_KEPT_MS, giveWay);
  };
