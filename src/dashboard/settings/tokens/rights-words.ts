import type { Right } from '../../../http/index.ts';
import type { AccessToken } from '../../../teams/index.ts';

/** What each right lets a token do, as the pages say it. */
export const RIGHT_WORDS: Readonly<Record<Right, string>> = {
  status: 'See the team, its integrations, and their status',
  connect: 'Start connecting an account, which a person has to finish',
  calls: 'See calls, without recordings',
  recordings: 'Hear recordings',
  reports: 'See weekly reports',
  events: 'Follow the log of events, which has calls and recordings in it',
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
