import type { DispatchState, ListedWeek } from '../../reports/index.ts';

type Tone = 'good' | 'warn' | 'bad' | 'none';
export type ShownState = { tone: Tone; words: string };

const STATES: Record<DispatchState, ShownState> = {
  queued: { tone: 'warn', words: 'on its way' },
  sending: { tone: 'warn', words: 'sending' },
  sent: { tone: 'good', words: 'sent' },
  unclear: { tone: 'warn', words: 'maybe sent' },
  failed: { tone: 'bad', words: 'not sent' },
  unsubscribed: { tone: 'none', words: 'unsubscribed' },
  skipped: { tone: 'none', words: 'no recipients' },
};

export const stateOf = (state: DispatchState): ShownState => STATES[state];

/** What needs attention comes first. */
const BY_WEIGHT: readonly DispatchState[] = ['failed', 'unclear', 'queued', 'sending', 'sent'];

/** All dispatches of a week in a few words. */
export const stateOfWeek = (dispatches: ListedWeek['dispatches']): ShownState => {
  const total = dispatches.reduce((sum, one) => sum + one.dispatches, 0);
  const heaviest = BY_WEIGHT.map((state) => dispatches.find((one) => one.state === state)).find(Boolean);
  if (!heaviest) return STATES.skipped;
  const { tone, words } = STATES[heaviest.state];
  if (heaviest.state === 'sent') return { tone, words: `sent to ${heaviest.dispatches}` };
  return { tone, words: `${heaviest.dispatches} of ${total} ${words}` };
};
