import { rateLimited } from '../../http/index.ts';
import { withinPatience } from '../../platform/index.ts';
import { isObserved, type TelephonyAccount } from '../accounts/account.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { Recognized, ReplyDocument } from '../contract/provider.ts';
import { accountAmbiguous, credentialsWanted, deliverySignatureInvalid, notKept } from '../errors.ts';
import { sealWithinBudget } from '../processing/delivery-payload.ts';
import { answerDelivery } from './answer-delivery.ts';
import { findSender, type Sender } from './find-sender.ts';
import { holdDelivery } from './hold-delivery.ts';
import type { ReceiverContext } from './receiver-context.ts';
import type { Verdicts } from './stranger-limit.ts';

/** Stores a verified delivery, then answers it. */
const accept = async (
  context: ReceiverContext,
  { provider, delivery }: Recognized,
  account: TelephonyAccount,
  secretId: string,
): Promise<ReplyDocument> => {
  const { clock, keeper, payloadBudget, processing, onDelivery } = context;
  const row = await sealWithinBudget(context, { provider, delivery }, account, { receivedAt: clock.now(), secretId });
  const kept = await keeper.keep(row);
  onDelivery(provider.id, kept);
  if (kept === 'stored') processing.add(row);
  if (kept === 'repeated' || kept === 'lost') payloadBudget.giveBack(row);
  if (kept === 'lost' && provider.occasionOf(delivery).kind === 'nothing') throw notKept();
  const secret = account.secrets.find((candidate) => candidate.id === secretId) ?? null;
  return answerDelivery(context, { provider, delivery }, account, secret);
};

/** Answers an unverified delivery as if it were verified, and holds it until the setup is fixed. */
const observe = async (
  context: ReceiverContext,
  recognized: Recognized,
  account: TelephonyAccount,
  mayHold: boolean,
): Promise<ReplyDocument> => {
  const { provider, delivery } = recognized;
  const held =
    mayHold &&
    (await withinPatience(holdDelivery(context, account, delivery)).catch((err) => {
      context.log.warn({ err }, 'a delivery of an observed account could not be held');
      return false;
    }));
  context.onDelivery(provider.id, held ? 'held' : 'refused');
  if (!held && provider.occasionOf(delivery).kind === 'nothing') throw notKept();
  return answerDelivery(context, recognized, account, null);
};

/**
 * Refuses an unverified delivery. If only one team can have been meant, that team sees the reason. In observe mode, the
 * delivery is answered and held instead.
 */
const refuse = async (
  context: ReceiverContext,
  recognized: Recognized,
  { unverified, isOneTeams }: Pick<Sender, 'unverified' | 'isOneTeams'>,
  verdicts: Verdicts,
): Promise<ReplyDocument> => {
  const { clock, refusals, onDelivery } = context;
  const { provider, delivery } = recognized;
  const waitSeconds = verdicts.refused();
  // Some providers send credentials only when asked. So a request without credentials is always asked for them, even
  // when the sender is over the limit.
  if (provider.challenge !== null && unverified.every(({ reason }) => reason === 'missing')) {
    if (waitSeconds === 0) verdicts.challenged();
    throw credentialsWanted(provider.challenge);
  }
  // A delivery that could be another team's is neither answered nor shown to anyone.
  if (isOneTeams) for (const { account, reason } of unverified) refusals.add(provider, delivery, account, reason);
  const observed = isOneTeams && unverified.find(({ account }) => isObserved(account, clock.now()));
  if (observed) return observe(context, recognized, observed.account, waitSeconds === 0);
  onDelivery(provider.id, 'refused');
  if (waitSeconds > 0) throw rateLimited(waitSeconds);
  throw provider.challenge === null ? deliverySignatureInvalid() : credentialsWanted(provider.challenge);
};

/** Verifies, stores, and answers one webhook request. Returns null if no provider recognizes it. */
export const receiveDelivery = async (
  context: ReceiverContext,
  delivery: Delivery,
  verdicts: Verdicts,
): Promise<ReplyDocument | null> => {
  const { providers, switchboard } = context;
  const provider = providers.find((candidate) => candidate.recognizes(delivery));
  if (!provider) {
    const waitSeconds = verdicts.refused();
    if (waitSeconds > 0) throw rateLimited(waitSeconds);
    return null;
  }
  const recognized = { provider, delivery };
  await switchboard.catchUp();
  const first = findSender(context, recognized);
  // Another process may have added the account or a new secret a moment ago.
  const looking = first.verified ? null : switchboard.lookAgain();
  if (looking) await looking;
  const sender = looking ? findSender(context, recognized) : first;
  if (!sender.verified) return refuse(context, recognized, sender, verdicts);
  if (sender.isAmbiguous) {
    verdicts.refused();
    context.onDelivery(provider.id, 'refused');
    throw accountAmbiguous();
  }
  verdicts.verified();
  return accept(context, recognized, sender.verified.account, sender.verified.secretId);
};
