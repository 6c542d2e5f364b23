import { toOneLine } from '../../platform/index.ts';
import type { OUTCOME_COLORS } from '../../telephony/index.ts';
import type { Compared } from '../figures/figures.ts';
import { daysOf, type WeekId } from '../week/week.ts';
import { describeChange, formatCount } from './describe-change.ts';

/** What a bar counts, if that has a color of its own. */
type BarOutcome = keyof typeof OUTCOME_COLORS;

/**
 * One line of a report. `share`, from 0 to 1, is how long its bar is; null: it has none. `evidence` is the page that
 * has the rows behind the figure; null: there are none. `phone` is the number to call, if the row is about one caller.
 */
export type Row = {
  label: string;
  value: string;
  note: string | null;
  share: number | null;
  outcome: BarOutcome | null;
  evidence: string | null;
  phone: string | null;
  /** How many of the things that are listed this row stands for. */
  standsFor: number;
};

type CallFilter = { direction?: 'inbound' | 'outbound'; outcome?: string; to?: string; waiting?: '1' };

/** The page that lists the calls behind a figure. */
export const callsBehind = ({ week }: { week: WeekId }, filter: CallFilter = {}): string => {
  const { first, last } = daysOf(week);
  return `/calls?${new URLSearchParams({ since: first, until: last, ...filter })}`;
};

type About = Partial<Pick<Row, 'note' | 'outcome' | 'evidence' | 'phone' | 'standsFor'>>;

/** The longest list, in every format: mail clients clip long emails, and Slack refuses long messages. */
const MOST_ROWS = 25;
const LONGEST_NAME = 120;
/** With the longest name and value, every character escaped, a Slack field is full. */
export const LONGEST_NOTE = 150;

export const clip = (text: string, longest = LONGEST_NAME): string => {
  const letters = [...toOneLine(text)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : letters.join('');
};

export const plain = (label: string, value: string, about: About = {}): Row => ({
  ...{ label, value, note: null, share: null, outcome: null, evidence: null, phone: null, standsFor: 1 },
  ...about,
});

/** A zero has no rows behind it to link to. */
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

/** The total may be more than there are rows for. */
export const atMost = (rows: Row[], total: number): Row[] => {
  const shown = rows.slice(0, MOST_ROWS);
  const rest = total - sumOf(shown);
  return rest > 0 ? [...shown, plain('Not shown', `${formatCount(rest)} more`, { standsFor: rest })] : shown;
};

/** How many rows of a long list are shown at first. */
const FEW = 5;

/** The first few rows, and the rest, which is never a single one. */
export const splitRows = <One>(rows: readonly One[], few = FEW): { first: readonly One[]; rest: readonly One[] } =>
  rows.length <= few + 1 ? { first: rows, rest: [] } : { first: rows.slice(0, few), rest: rows.slice(few) };

/** The first few rows, and how many things are in the rest. */
export const cutRows = (rows: readonly Row[]): { first: readonly Row[]; more: number } => {
  const heads = rows.filter(({ standsFor }) => standsFor === 0).length;
  const { first, rest } = splitRows(rows, FEW + heads);
  return { first, more: sumOf(rest) };
};
