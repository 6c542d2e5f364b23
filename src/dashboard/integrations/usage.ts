import type { UsageSum } from '../../integrations/index.ts';
import type { DashboardContext } from '../context.ts';
import type { Connection } from './entry.ts';

type Sums = Pick<UsageSum, 'requests' | 'failures' | 'bytes'>;

/** What a connection was used for. Null for a time that the page doesn't show. */
export type Usage = { day: Sums; week: Sums | null };

export type UsageFinder = (connection: Connection) => Usage;

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const NONE: Sums = { requests: 0, failures: 0, bytes: 0 };

const finderIn = (sums: readonly UsageSum[]) => {
  const known = new Map(sums.map((sum) => [`${sum.provider} ${sum.connection}`, sum]));
  return ({ provider, connection }: Connection): Sums => known.get(`${provider} ${connection}`) ?? NONE;
};

/** For a page with all connections: a day, so that it doesn't have to add up a week of each. */
export const loadUsage = async ({ integrations }: DashboardContext, teamId: string): Promise<UsageFinder> => {
  const inDay = finderIn(await integrations.listUsage(teamId, DAY_HOURS));
  return (connection) => ({ day: inDay(connection), week: null });
};

/** For the page of one provider. */
export const loadUsageOf = async (
  { integrations }: DashboardContext,
  teamId: string,
  provider: string,
): Promise<UsageFinder> => {
  const [day, week] = await Promise.all(
    [DAY_HOURS, WEEK_HOURS].map((hours) => integrations.listUsageOf(teamId, provider, hours)),
  );
  const [inDay, inWeek] = [finderIn(day ?? []), finderIn(week ?? [])];
  return (connection) => ({ day: inDay(connection), week: inWeek(connection) });
};

const counts = new Intl.NumberFormat('en');
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const sayBytes = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  const unitDisplay = power === 0 ? 'long' : 'short';
  const format = { style: 'unit', unit: UNITS[power] ?? 'byte', unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat('en', format).format(bytes / 1_000 ** power);
};

/** `1,234 API requests, 12 failed` */
export const sayRequests = ({ requests, failures }: Sums): string => {
  if (requests === 0) return 'No API requests';
  const all = requests === 1 ? '1 API request' : `${counts.format(requests)} API requests`;
  return failures === 0 ? all : `${all}, ${counts.format(failures)} failed`;
};

/** `1,234 API requests, 12 failed, 5.6 MB` */
export const sayUsage = (sums: Sums): string =>
  sums.requests === 0 ? sayRequests(sums) : `${sayRequests(sums)}, ${sayBytes(sums.bytes)}`;
