import type { ApprovalView } from '../../integrations/index.ts';
import type { Html } from '../../platform/index.ts';
import { pill } from '../display/pill.ts';
import type { Tone } from '../parts.ts';
import type { Providers } from '../requests/request-words.ts';

export const APPROVALS = { path: '/approvals', name: 'Approvals' } as const;

type State = ApprovalView['state'];

const STATES: Readonly<Record<State, { tone: Tone; words: string; sentence: string }>> = {
  waiting: { tone: 'warn', words: 'Waiting', sentence: '' },
  refused: { tone: 'none', words: 'Refused', sentence: 'It was not sent.' },
  expired: { tone: 'none', words: 'Expired', sentence: 'Nobody decided in time. It was not sent.' },
  sending: { tone: 'warn', words: 'Sending', sentence: 'It was approved. Reload this page for the outcome.' },
  sent: { tone: 'good', words: 'Sent', sentence: 'It was approved, and sent once.' },
  failed: { tone: 'bad', words: 'Not sent', sentence: 'It was approved, but could not be sent.' },
  unclear: {
    tone: 'bad',
    words: 'Unclear',
    sentence: 'It was approved, and is never sent again.',
  },
};

export const statePill = ({ state, status }: Pick<ApprovalView, 'state' | 'status'>): Html => {
  const { tone, words } = STATES[state];
  if (status === null) return pill(tone, words, state === 'sending');
  return pill(status < 400 ? tone : 'bad', `${words}, ${status}`);
};

const OUTCOME_UNKNOWN = 'Nobody knows whether the provider has carried it out.';

/** What became of a request, in sentences. */
export const outcomeWords = ({ state, problem }: Pick<ApprovalView, 'state' | 'problem'>): string => {
  const { sentence } = STATES[state];
  if (state === 'unclear') return `${sentence} ${problem ?? OUTCOME_UNKNOWN} To find out, look at the provider.`;
  return problem === null ? sentence : `${sentence} ${problem}`;
};

export const providerWords = ({ provider }: Pick<ApprovalView, 'provider'>, providers: Providers): string =>
  providers.get(provider)?.name ?? provider;

/** How much of a path fits on a line. The page of the approval shows all of it. */
const MOST_PATH = 80;

/** The method and the path, on one line. */
export const shortWords = ({ method, path }: Pick<ApprovalView, 'method' | 'path'>): string =>
  `${method} ${path.length > MOST_PATH ? `${path.slice(0, MOST_PATH)}…` : path}`;

/** The method, the path, and the query: "POST /repos/acme/site/issues". */
export const targetWords = ({ method, path, query }: Pick<ApprovalView, 'method' | 'path' | 'query'>): string =>
  `${method} ${path}${query === '' ? '' : `?${query}`}`;

/** How much longer a request waits: "7 minutes left". */
export const leftWords = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute left';
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`;
  return `${Math.floor(minutes / 60)} hours left`;
};
