import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { findTelephonyProvider } from '../accounts/account-wish.ts';
import { findAccount } from '../accounts/accounts.ts';
import { deleteHeld, getHeldDelivery, listHeldIds } from '../accounts/held-store.ts';
import type { TelephonyContext } from '../context.ts';
import { releaseRunning } from '../errors.ts';
import { openWhole, sealWithinBudget } from '../processing/delivery-payload.ts';
import { DELIVERIES, deliveryValues } from '../processing/delivery-store.ts';
import { areOfOneTeam, listClaimants } from './find-sender.ts';
import type { ReceiverContext } from './receiver-context.ts';

/** Context for releasing held deliveries. */
export type ReleaseContext = TelephonyContext & Pick<ReceiverContext, 'payloadBudget' | 'processing' | 'switchboard'>;

type Released = { released: number; held: number };

/**
 * Verifies held deliveries again, with the current settings, but as of the time when they arrived. Valid ones become
 * regular deliveries; the others stay held. Other work runs in between.
 */
const releaseHeld = async (
  context: ReleaseContext,
  teamId: string,
  actor: AuditActor,
  accountId: string,
): Promise<Released> => {
  const { database, vault, providers, url, payloadBudget, processing, turns } = context;
  const account = await findAccount(context, teamId, accountId);
  const provider = findTelephonyProvider(providers, account.provider);

  const release = async (id: string): Promise<boolean> => {
    const held = await getHeldDelivery(database, teamId, id);
    if (!held) return false;
    const delivery = await openWhole(vault, teamId, id, held.content);
    const { receivedAt } = held;
    const verdict = provider.verify(delivery, account.secrets, { publicUrl: url, now: receivedAt });
    if (!verdict.ok) return false;
    const { secretId } = verdict;
    // Since the delivery arrived, another team may have added an account that claims it.
    const claimants = listClaimants(context, { provider, delivery }, { account, secretId });
    if (!areOfOneTeam([account, ...claimants])) return false;
    const released = await sealWithinBudget(context, { provider, delivery }, account, { receivedAt, secretId });
    const [outcome] = await database.insertRows(DELIVERIES, [deliveryValues(released)]);
    if (outcome !== 'inserted') payloadBudget.giveBack(released);
    if (outcome instanceof Error) throw outcome;
    await deleteHeld(database, teamId, id);
    processing.add(released);
    return true;
  };

  const ids = await listHeldIds(database, teamId, accountId);
  let count = 0;
  for (const id of ids) {
    await turns.wait();
    if (await release(id)) count++;
  }
  const detail = { released: count, held: ids.length - count };
  await recordAudit(context, database, teamId, actor, {
    action: 'telephony.account.release',
    target: accountId,
    detail,
  });
  return detail;
};

/** Allows one release per account at a time, because a second would only repeat the work. */
export const createReleaseHeld = (context: ReleaseContext) => {
  const running = new Set<string>();
  return async (teamId: string, actor: AuditActor, accountId: string): Promise<Released> => {
    const key = `${teamId} ${accountId}`;
    if (running.has(key)) throw releaseRunning();
    running.add(key);
    try {
      return await releaseHeld(context, teamId, actor, accountId);
    } finally {
      running.delete(key);
    }
  };
};
