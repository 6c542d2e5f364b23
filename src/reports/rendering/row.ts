import { toOneLine } from '../../mail/index.ts';
import type { OUTCOME_COLORS } from '../../telephony/index.ts';
import type { Compared } from '../figures/figures.ts';
import { daysOf, type WeekId } from '../week/week.ts';
import { describeChange, formatCount } from './describe-change.ts';

/** An outcome that has its own color in bars. */
type BarOutcome = keyof typeof OUTCOME_COLORS;

/**
 * One line of a report. `share` is the length of its bar, from 0 to 1, or null for no bar. `evidence` is the page with
 * the rows behind the figure, or null if there are none. `phone` is the number to call, if the row is about one caller.
 */
export type Row = {
  label: string;
  value: string;
  note: string | null;
  share: number | null;
  outcome: BarOutcome | null;
  evidence: string | null;
  phone: string | null;
  /** How many of the listed things this row stands for. 0 for a heading or total. */
  standsFor: number;
};

type CallFilter = { direction?: 'inbound' | 'outbound'; outcome?: string; to?: string; waiting?: '1' };

/** The URL of the page that lists the calls behind a figure. */
export const callsBehind = ({ week }: { week: WeekId }, filter: CallFilter = {}): string => {
  const { first, last } = daysOf(week);
  return `/calls?${new URLSearchParams({ since: first, until: last, ...filter })}`;
};

type About = Partial<Pick<Row, 'note' | 'outcome' | 'evidence' | 'phone' | 'standsFor'>>;

/** The most rows that a list may have in any format: mail clients clip long emails, and Slack refuses long messages. */
const MOST_ROWS = 25;
const LONGEST_NAME = 120;
/** Chosen so that the longest name, value and note just fit in a Slack field with every character escaped. */
export const LONGEST_NOTE = 150;

export const clip = (text: string, longest = LONGEST_NAME): string => {
  const letters = [...toOneLine(text)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : letters.join('');
};

export const plain = (label: string, value: string, about: About = {}): Row => ({
  ...{ label, value, note: null, share: null, outcome: null, evidence: null, phone: null, standsFor: 1 },
  ...about,
});

/** A row with a count. A zero gets no link, because there are no rows behind it. */
export const count = (label: string, value: number, { evidence = null, ...about }: About = {}): Row =>
  plain(label, formatCount(value), { ...about, evidence: value > 0 ? evidence : null });

export type CountedRow = readonly [label: string, count: number, about?: About];

/** Rows with bars; the highest count has the longest bar. */
export const barred = (rows: readonly CountedRow[]): Row[] => {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  return rows.map(([label, value, about]) => ({ ...count(label, value, about), share: value / most }));
};

export const compared = (label: string, figure: Compared, about: About): CountedRow => [
  label,
  figure.value,
  { note: describeChange(figure), ...about },
];

const sumOf = (rows: readonly Row[]): number => rows.reduce((sum, { standsFor }) => sum + standsFor, 0);

/** Cuts the list to `MOST_ROWS`, and adds a row with the number of things not shown. */
export const atMost = (rows: Row[], total: number): Row[] => {
  const shown = rows.slice(0, MOST_ROWS);
  const rest = total - sumOf(shown);
  return rest > 0 ? [...shown, plain('Not shown', `${formatCount(rest)} more`, { standsFor: rest })] : shown;
};

/** How many rows of a long list are shown at first. */
const FEW = 5;

/** Splits a list into its first few rows and the rest. The rest is never a single row. */
export const splitRows = <One>(rows: readonly One[], few = FEW): { first: readonly One[]; rest: readonly One[] } =>
  rows.length <= few + 1 ? { first: rows, rest: [] } : { first: rows.slice(0, few), rest: rows.slice(few) };

/** The first few rows, and how many things the other rows stand for. */
export const cutRows = (rows: readonly Row[]): { first: readonly Row[]; more: number } => {
  const heads = rows.filter(({ standsFor }) => standsFor === 0).length;
  const { first, rest } = splitRows(rows, FEW + heads);
  return { first, more: sumOf(rest) };
};
