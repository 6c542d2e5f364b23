import type { Right } from '../../../http/index.ts';
import { DEFAULT_CONNECTION } from '../../../integrations/index.ts';
import type { AskedAllow, AskedRights } from '../../../teams/index.ts';

/** What a token with a right can request without knowing anything else. */
const ADDRESSES: Readonly<Partial<Record<Right, string>>> = {
  status: '/api/team',
  calls: '/api/calls',
  reports: '/api/reports',
  events: '/api/events',
};

/** A path that matches the pattern once the names in angle brackets are replaced. */
const fillPattern = (pattern: string): string => pattern.replace(/\*\*$/, '<path>').replaceAll('*', '<segment>');

const proxied = ({ provider, connection = DEFAULT_CONNECTION, paths = ['/**'] }: AskedAllow): string => {
  const pattern = paths.find((path) => !path.includes('*')) ?? paths[0] ?? '/**';
  const named = connection === DEFAULT_CONNECTION ? '' : `?connection=${connection}`;
  return `/api/integrations/${provider}/proxy${fillPattern(pattern)}${named}`;
};

/** Finds the address of a request that a token with these rights may send. Null if there is none to try. */
export const findTryAddress = ({ can, allow }: Pick<AskedRights, 'can' | 'allow'>): string | null => {
  if (!can && !allow) return '/api/team';
  const [first] = allow ?? [];
  if (first) return proxied(first);
  return (can ?? []).map((right) => ADDRESSES[right]).find((address) => address !== undefined) ?? null;
};
