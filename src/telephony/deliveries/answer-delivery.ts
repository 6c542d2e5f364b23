import type { TelephonyAccount } from '../accounts/account.ts';
import { planReply } from '../contract/answer-plan.ts';
import { isOpenAt, settingsWhen } from '../contract/answer-settings.ts';
import { queryOf } from '../contract/delivery.ts';
import type { AccountSecret, Recognized, ReplyDocument } from '../contract/provider.ts';
import { stepUrlOf, webhookUrl } from '../contract/webhook-url.ts';
import type { ReceiverContext } from './receiver-context.ts';

/** Makes the reply from memory, so that callers get an answer even if the database is unavailable. */
export const answerDelivery = async (
  { switchboard, clock, url }: ReceiverContext,
  { provider, delivery }: Recognized,
  account: TelephonyAccount,
  secret: AccountSecret | null,
): Promise<ReplyDocument> => {
  const occasion = provider.occasionOf(delivery);
  if (occasion.kind === 'nothing') return provider.acknowledge();
  const line = switchboard.findLine(account, queryOf(delivery).get('number'), provider.calledParty(delivery));
  const reply = {
    stepUrl: stepUrlOf(url, account.id, line?.id ?? null),
    recordingUrl: webhookUrl(url, 'recording', account.id),
    verifiedWith: secret?.value ?? null,
  };
  if (!line) return provider.render(planReply(occasion, null), reply);
  const open = !line.answer.hours || isOpenAt(line.answer.hours, await switchboard.hoursOf(line.teamId), clock.now());
  return provider.render(planReply(occasion, settingsWhen(line.answer, open, provider.languages)), reply);
};
