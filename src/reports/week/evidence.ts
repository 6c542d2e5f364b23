import { daysOf, type WeekId } from './week.ts';

type CallFilter = { direction?: 'inbound' | 'outbound'; outcome?: string; to?: string; waiting?: '1' };

/** The page that lists the calls behind a figure. */
export const callsBehind = ({ week }: { week: WeekId }, filter: CallFilter = {}): string => {
  const { first, last } = daysOf(week);
  return `/calls?${new URLSearchParams({ since: first, until: last, ...filter })}`;
};
