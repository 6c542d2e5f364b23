import { Refusal, workFor } from '../../platform/index.ts';
import { recordAudit, SERVICE } from '../../teams/index.ts';
import type { OpenApi } from '../proxy/open-api.ts';
import { keepTrying } from '../requests/keep-trying.ts';
import { AFTER_MARK_MS, type Approval, SENT_WITHIN_MS } from './approval.ts';
import { openContent, openTarget } from './approval-content.ts';
import { getStoredApproval, markBegun, markEnded } from './approval-store.ts';
import { auditDetailOf } from './audit-approval.ts';
import { getContent, putResponse } from './content-store.ts';
import type { ApprovalsContext } from './context.ts';
import { findObjection, lockObjection, objectTo } from './find-objection.ts';
import { type ApprovedRequest, type Outcome, sendMarked } from './send-marked.ts';

const KEEP_TRYING_MS = 20_000;

const HOST_CHANGED = "The address of the provider's API has changed.";
const TOO_LATE = 'It could not be sent within five minutes after it was approved.';

/** What the audit log calls each end. */
const ENDINGS: Readonly<Record<Outcome['state'], string>> = {
  sent: 'approval.send',
  refused: 'approval.stop',
  failed: 'approval.fail',
  unclear: 'approval.unclear',
};

/** Stores how a request ended, with an entry in the audit log. Does nothing if it has ended already. */
const finish = (context: ApprovalsContext, approval: Approval, method: string, outcome: Outcome): Promise<void> =>
  context.database.transaction(async (tx) => {
    const now = context.clock.now();
    const { state, status, problem, response } = outcome;
    const ended = {
      state,
      now,
      ...(status === undefined ? {} : { status }),
      ...(problem === undefined ? {} : { problem }),
    };
    if ((await markEnded(tx, approval, ended)) === 0) return;
    if (response !== undefined) await putResponse(tx, approval, response, now);
    const detail = {
      ...auditDetailOf(approval, method),
      ...(status === undefined ? {} : { status }),
      ...(problem === undefined ? {} : { problem }),
    };
    await recordAudit(context, tx, approval.teamId, SERVICE, {
      action: ENDINGS[state],
      target: approval.id,
      detail,
    });
  });

/**
 * Writes the mark, if everything is still as it was when the request was shown. Returns the approval with its mark, or
 * how it ended. Null if another process has it.
 */
const mark = (context: ApprovalsContext, approval: Approval): Promise<Approval | Outcome | null> =>
  context.database.transaction(async (tx) => {
    const objection = await lockObjection(context, tx, approval);
    if (objection !== null) return { state: 'refused', problem: objection };
    const now = context.clock.now();
    const leaseUntil = now + AFTER_MARK_MS;
    const marked = await markBegun(tx, approval, { now, lease: approval.leaseUntil ?? 0, leaseUntil });
    return marked === 0 ? null : { ...approval, begunAt: now, leaseUntil };
  });

/** Opens the connection's API, with a fresh credential. Returns how the request ends if that's impossible. */
const openFor = async (context: ApprovalsContext, approval: Approval): Promise<OpenApi | Outcome> => {
  const { teamId, provider, connection: name, host, origin } = approval;
  const objection = await findObjection(context, context.database, approval);
  if (objection !== null) return { state: 'refused', problem: objection };
  try {
    const opened = await context.apis.open({ teamId, provider, name });
    // What was opened may have been cached a moment ago.
    const changed = objectTo(context, approval, opened.connection);
    if (changed !== null) return { state: 'refused', problem: changed };
    const isSamePlace = opened.addressOf(host ?? undefined).url.href === origin;
    return isSamePlace ? opened : { state: 'refused', problem: HOST_CHANGED };
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error;
    return { state: 'failed', problem: error.message };
  }
};

/** Sends an approved request whose lease this process holds. */
const send = async (context: ApprovalsContext, approval: Approval, stored: ApprovedRequest): Promise<void> => {
  const { clock, pause } = context;
  const finishWith = (ended: Approval, outcome: Outcome): Promise<void> =>
    keepTrying(KEEP_TRYING_MS, () => finish(context, ended, stored.target.method, outcome));
  if (clock.now() > (approval.decidedAt ?? 0) + SENT_WITHIN_MS)
    return finishWith(approval, { state: 'failed', problem: TOO_LATE });
  await pause.check();
  const opened = await openFor(context, approval);
  if ('state' in opened) return finishWith(approval, opened);
  const marked = await mark(context, approval);
  if (marked === null) return;
  if (!('id' in marked)) return finishWith(approval, marked);
  await finishWith(marked, await sendMarked(context, opened, marked, stored));
};

/**
 * Sends a request that was approved, if this process still holds the lease. If that fails before the mark, another try
 * follows once the lease has ended.
 */
export const sendApproved = (
  context: ApprovalsContext,
  { teamId, id }: Pick<Approval, 'teamId' | 'id'>,
  lease: number,
): Promise<void> =>
  workFor(teamId, async () => {
    const { database, vault, log } = context;
    try {
      const approval = await getStoredApproval(database, { teamId, id });
      if (approval?.state !== 'sending' || approval.begunAt !== null || approval.leaseUntil !== lease) return;
      const sealed = await getContent(database, approval);
      if (sealed === null) return;
      const content = await openContent(vault, approval, sealed);
      await send(context, approval, { target: await openTarget(vault, approval), content });
    } catch (err) {
      log.warn({ err, teamId, approval: id }, 'an approved request could not be sent yet');
    }
  });
