import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { deleteAccount } from '../accounts/accounts.ts';
import { listSimulated } from '../accounts/simulated-account-store.ts';
import { listCallsOfAccount } from '../calls/account-call-store.ts';
import type { TelephonyContext } from '../context.ts';
import { erasePayloadsWithoutCall } from '../processing/delivery-store.ts';
import { ERASED_AT_ONCE, eraseCalls } from './erase-calls.ts';

/** Removes the accounts, numbers, calls, and recordings of simulations. Returns how many calls there were. */
export const removeSimulated = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
): Promise<{ calls: number }> => {
  const { database } = context;
  let calls = 0;
  for (const { id: accountId, removedAt } of await listSimulated(database, teamId)) {
    if (removedAt === null) await deleteAccount(context, teamId, actor, accountId);
    const listPage = () => listCallsOfAccount(database, teamId, accountId, ERASED_AT_ONCE);
    for (let page = await listPage(); page.length > 0; page = await listPage())
      calls += (
        await eraseCalls(context, teamId, page, (tx, detail) =>
          recordAudit(context, tx, teamId, actor, { action: 'telephony.demo.remove', target: accountId, detail }),
        )
      ).calls;
    await erasePayloadsWithoutCall(database, teamId, accountId);
  }
  return { calls };
};
