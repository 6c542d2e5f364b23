import type { Right } from '../../../http/index.ts';
import type { AccessToken } from '../../../teams/index.ts';

/** What each right lets a token do, as the pages say it. */
export const RIGHT_WORDS: Readonly<Record<Right, string>> = {
  status: 'See the team, its integrations, and their status',
  connect: 'Start connecting an account, which a person has to finish',
  calls: 'See calls, without recordings',
  recordings: 'Hear recordings',
  reports: 'See weekly reports',
  events: 'Follow the log of events: calls, recordings, and what happened at accounts that it can use',
};

/** What each right lets a token read, in as few words as possible. None for a right that reads nothing. */
const SHORT_WORDS: Readonly<Record<Right, string | null>> = {
  status: 'status of integrations',
  connect: null,
  calls: 'calls',
  recordings: 'recordings',
  reports: 'reports',
  events: 'events',
};

type Restriction = NonNullable<AccessToken['restriction']>;
type Allowed = Restriction['allow'][number];

/** Names a provider by its ID. */
export type ProviderNames = ReadonlyMap<string, string>;

const sayWhere = ({ provider, account, connection, host }: Allowed, names: ProviderNames): string => {
  const which = account?.label ?? connection;
  const name = names.get(provider) ?? provider;
  return `${name}${which === null ? '' : ` (${which})`}${host === null ? '' : `, host ${host}`}`;
};

/** One thing that a token can do. `paths`: where, if not everywhere. */
export type SaidRight = { words: string; paths: readonly string[] };

const sayAllowed = (allowed: Allowed, names: ProviderNames): SaidRight => {
  const { methods, paths } = allowed;
  const what = methods === null ? 'Read' : `Send ${methods.join(', ')} to`;
  return { words: `${what} ${sayWhere(allowed, names)}`, paths: paths ?? [] };
};

const say = (words: string): SaidRight => ({ words, paths: [] });

/** Says what a token can do. */
export const sayRights = ({ can, allow, approvalMinutes }: Restriction, names: ProviderNames): SaidRight[] => [
  ...can.map((right) => say(RIGHT_WORDS[right])),
  ...allow.map((allowed) => sayAllowed(allowed, names)),
  ...(approvalMinutes === null ? [] : [say('Asks before it sends anything else there')]),
];

/** What a token can do, apart by whether it reads or changes something. */
export type RightsSummary = {
  reads: readonly SaidRight[];
  /** What it may send without asking, though it doesn't only read. */
  sends: readonly SaidRight[];
  /** Whether it may ask an admin to send anything else to its accounts. */
  asks: boolean;
  /** Whether it may start connecting accounts. */
  connects: boolean;
};

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Sums up what a token can do, for a list with little room. */
export const summarizeRights = ({ can, allow, approvalMinutes }: Restriction, names: ProviderNames): RightsSummary => {
  const words = can.flatMap((right) => SHORT_WORDS[right] ?? []).join(', ');
  const accounts = allow.flatMap((allowed) =>
    allowed.methods === null || allowed.methods.some(isReading)
      ? [{ words: sayWhere(allowed, names), paths: allowed.paths ?? [] }]
      : [],
  );
  const sends = allow.flatMap((allowed) => {
    const methods = (allowed.methods ?? []).filter((method) => !isReading(method));
    return methods.length === 0
      ? []
      : [{ words: `${methods.join(', ')} to ${sayWhere(allowed, names)}`, paths: allowed.paths ?? [] }];
  });
  return {
    reads: words === '' ? accounts : [...accounts, say(`${words.charAt(0).toUpperCase()}${words.slice(1)}`)],
    sends,
    asks: approvalMinutes !== null && allow.length > 0,
    connects: can.includes('connect'),
  };
};
