import type { DeliveryState, ListedWeek } from '../../reports/index.ts';

type Tone = 'good' | 'warn' | 'bad' | 'none';
export type ShownState = { tone: Tone; words: string };

const STATES: Record<DeliveryState, ShownState> = {
  queued: { tone: 'warn', words: 'on its way' },
  sending: { tone: 'warn', words: 'sending' },
  sent: { tone: 'good', words: 'sent' },
  unclear: { tone: 'warn', words: 'maybe sent' },
  failed: { tone: 'bad', words: 'not sent' },
  unsubscribed: { tone: 'none', words: 'unsubscribed' },
  skipped: { tone: 'none', words: 'no recipients' },
};

export const stateOf = (state: DeliveryState): ShownState => STATES[state];

/** What needs attention comes first. */
const BY_WEIGHT: readonly DeliveryState[] = ['failed', 'unclear', 'queued', 'sending', 'sent'];

/** All deliveries of a week in a few words. */
export const stateOfWeek = (deliveries: ListedWeek['deliveries']): ShownState => {
  const total = deliveries.reduce((sum, one) => sum + one.deliveries, 0);
  const heaviest = BY_WEIGHT.map((state) => deliveries.find((one) => one.state === state)).find(Boolean);
  if (!heaviest) return STATES.skipped;
  const { tone, words } = STATES[heaviest.state];
  if (heaviest.state === 'sent') return { tone, words: `sent to ${heaviest.deliveries}` };
  return { tone, words: `${heaviest.deliveries} of ${total} ${words}` };
};
