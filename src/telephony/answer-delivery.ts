import type { Clock } from '../platform/index.ts';
import type { Account } from './account.ts';
import { type Occasion, planReply } from './answer-plan.ts';
import { isOpenAt, settingsWhen } from './answer-settings.ts';
import { type Delivery, queryOf } from './delivery.ts';
import type { ReplyContext, ReplyDocument, TelephonyProvider } from './provider.ts';
import type { Line, Switchboard } from './switchboard.ts';
import { stepUrlOf, webhookUrl } from './webhook-url.ts';

/** The public base address, and who is answered how. */
export type AnswerDeliveryDependencies = { switchboard: Switchboard; clock: Clock; url: string };

export type Recognized = { provider: TelephonyProvider; delivery: Delivery };

type Asked = Exclude<Occasion, { kind: 'nothing' }>;

/** What was said on a line is said again in the same words. A line that is changed is another one, and begins anew. */
const said = new WeakMap<Line, Map<string, ReplyDocument>>();

const sayOn = (line: Line, open: boolean, occasion: Asked, provider: TelephonyProvider, context: ReplyContext) => {
  const documents = said.get(line) ?? new Map<string, ReplyDocument>();
  said.set(line, documents);
  const words = JSON.stringify([occasion, open, context.verifiedWith]);
  const known = documents.get(words);
  if (known) return known;
  const document = provider.render(planReply(occasion, settingsWhen(line.answer, open)), context);
  documents.set(words, document);
  return document;
};

/** What is answered, from memory: whatever became of the database, the caller is not left without a word. */
export const answerDelivery = async (
  { switchboard, clock, url }: AnswerDeliveryDependencies,
  { provider, delivery }: Recognized,
  account: Account,
  verifiedWith: string | null,
): Promise<ReplyDocument> => {
  const occasion = provider.occasionOf(delivery);
  if (occasion.kind === 'nothing') return provider.acknowledge();
  const line = switchboard.findLine(account, queryOf(delivery).get('number'), provider.calledParty(delivery));
  const context = {
    stepUrl: stepUrlOf(url, account.id, line?.id ?? null),
    recordingUrl: webhookUrl(url, 'recording', account.id),
    verifiedWith,
  };
  if (!line) return provider.render(planReply(occasion, null), context);
  const open = !line.answer.hours || isOpenAt(line.answer.hours, await switchboard.hoursOf(line.teamId), clock.now());
  return sayOn(line, open, occasion, provider, context);
};
