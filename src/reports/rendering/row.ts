import { toOneLine } from '../../platform/index.ts';
import type { Compared } from '../figures/figures.ts';
import { daysOf, type WeekId } from '../week/week.ts';
import { describeChange, formatCount } from './describe-change.ts';

/**
 * One line of a report. `share`, from 0 to 1, is how long its bar is; null: it has none. `evidence` is the page that
 * has the rows behind the figure; null: there are none. `phone` is the number to call, if the row is about one caller.
 */
export type Row = {
  label: string;
  value: string;
  note: string | null;
  share: number | null;
  evidence: string | null;
  phone: string | null;
};

type CallFilter = { direction?: 'inbound' | 'outbound'; outcome?: string; to?: string; waiting?: '1' };

/** The page that lists the calls behind a figure. */
export const callsBehind = ({ week }: { week: WeekId }, filter: CallFilter = {}): string => {
  const { first, last } = daysOf(week);
  return `/calls?${new URLSearchParams({ since: first, until: last, ...filter })}`;
};

type About = { note?: string | null; evidence?: string | null; phone?: string | null };

/** The longest list, in every format: mail clients clip long emails, and Slack refuses long messages. */
const MOST_ROWS = 25;
const LONGEST_NAME = 120;
/** With the longest name and value, every character escaped, a Slack field is full. */
export const LONGEST_NOTE = 150;

export const clip = (text: string, longest = LONGEST_NAME): string => {
  const letters = [...toOneLine(text)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : letters.join('');
};

export const plain = (
  label: string,
  value: string,
  { note = null, evidence = null, phone = null }: About = {},
): Row => ({
  ...{ label, value, note, evidence, phone },
  share: null,
});

/** A zero has no rows behind it to link to. */
export const count = (label: string, value: number, { evidence = null, ...about }: About = {}): Row =>
  plain(label, formatCount(value), { ...about, evidence: value > 0 ? evidence : null });

export type Counted = readonly [label: string, count: number, about?: About];

/** Rows with bars; the highest count has the longest bar. */
export const barred = (rows: readonly Counted[]): Row[] => {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  return rows.map(([label, value, about]) => ({ ...count(label, value, about), share: value / most }));
};

export const compared = (label: string, figure: Compared, evidence: string): Counted => [
  label,
  figure.value,
  { note: describeChange(figure), evidence },
];

/** `countIn` says how many of the total are in the first so many rows, if a row can stand for several. */
export const atMost = (rows: Row[], total: number, countIn = (shown: number): number => shown): Row[] => {
  const shown = rows.slice(0, MOST_ROWS);
  const rest = total - countIn(shown.length);
  return rest > 0 ? [...shown, plain('Not shown', `${formatCount(rest)} more`)] : shown;
};
