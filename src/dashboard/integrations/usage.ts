import type { DayUsage } from '../../integrations/index.ts';
import { sayBytes } from '../../platform/index.ts';
import type { DashboardContext } from '../context.ts';
import type { ShownConnection } from './entry.ts';

type Sums = Pick<DayUsage, 'requests' | 'failures' | 'bytes'>;

/** The usage of a connection: on each of the last seven days, oldest first, and in total. */
export type ShownUsage = { days: readonly Sums[]; week: Sums };

export type UsageFinder = (connection: Pick<ShownConnection, 'provider' | 'connection'>) => ShownUsage;

const DAYS = 7;
const NONE: Sums = { requests: 0, failures: 0, bytes: 0 };

const add = (one: Sums, other: Sums): Sums => ({
  requests: one.requests + other.requests,
  failures: one.failures + other.failures,
  bytes: one.bytes + other.bytes,
});

/** Loads the usage of all connections to these providers. */
export const loadUsage = async (
  { integrations }: DashboardContext,
  teamId: string,
  providers: readonly string[],
): Promise<UsageFinder> => {
  const used = providers.length === 0 ? [] : await integrations.listUsage(teamId, { providers, days: DAYS });
  const known = Map.groupBy(used, ({ provider, connection }) => `${provider} ${connection}`);
  return ({ provider, connection }) => {
    const found = known.get(`${provider} ${connection}`) ?? [];
    const days = Array.from({ length: DAYS }, (_, day) => found.find((one) => one.day === day) ?? NONE);
    return { days, week: days.reduce(add, NONE) };
  };
};

const counts = new Intl.NumberFormat('en');

/** A number of requests: `1,234 requests`. */
export const sayRequests = (requests: number): string =>
  requests === 1 ? '1 request' : `${counts.format(requests)} requests`;

/** A usage in words: `1,234 requests, 12 failed, 5.6 MB`. */
export const sayUsage = ({ requests, failures, bytes }: Sums): string =>
  [
    sayRequests(requests),
    ...(failures > 0 ? [`${counts.format(failures)} failed`] : []),
    ...(requests > 0 ? [sayBytes(bytes)] : []),
  ].join(', ');
