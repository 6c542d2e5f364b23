import type { Bound, Comparison, NotRun, Reading, Result, Table } from './benchmark.ts';
import { ratioOf, ratiosOf, type Summary, spreadOf, summarize } from './summarize.ts';

/** If results differ by more than this share, the machine was probably busy with other work. Repeat the run. */
const NOISY_SPREAD = 0.25;

const formatNumber = (value: number): string =>
  value.toLocaleString('en-GB', { maximumFractionDigits: value >= 1_000 ? 0 : value >= 20 ? 1 : 2 });

const range = ({ least, most }: Summary): string => `${formatNumber(least)} – ${formatNumber(most)}`;

const row = (label: string, value: string, rest = ''): string =>
  `    ${label.padEnd(36)}${value.padStart(12)}  ${rest}`.trimEnd();

const measuredRow = (label: string, values: readonly number[], unit: string): string => {
  const summary = summarize(values);
  const noisy = spreadOf(summary) > NOISY_SPREAD ? '  NOISY' : '';
  return row(label, formatNumber(summary.median), `${unit}, ${range(summary)}${noisy}`);
};

const verdict = (met: boolean): string => (met ? 'met' : 'NOT MET');

const renderComparison = ({ title, unit, ours, peer, rounds, goal }: Comparison): string[] => [
  `  ${title}`,
  measuredRow(ours, rounds.ours, unit),
  measuredRow(peer, rounds.peer, unit),
  row('ratio', `${formatNumber(ratioOf(rounds))} x`, `round by round ${range(ratiosOf(rounds))}`),
  ...(goal ? [row('goal', `${goal.atLeast} x`, verdict(ratioOf(rounds) >= goal.atLeast))] : []),
];

const isWithin = (bound: Bound, value: number): boolean =>
  'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;

const nameBound = (bound: Bound): string =>
  'atLeast' in bound ? `>= ${formatNumber(bound.atLeast)}` : `<= ${formatNumber(bound.atMost)}`;

const renderReading = ({ title, unit, values, goal, aim }: Reading): string[] => [
  `  ${title}`,
  measuredRow('median', values, unit),
  ...(goal ? [row('goal', nameBound(goal), verdict(isWithin(goal, summarize(values).median)))] : []),
  ...(aim ? [row('aim', `< ${aim.under}`, verdict(summarize(values).median < aim.under))] : []),
];

const CELL = 12;

const isOver = (value: number, atMost: number | undefined): boolean => atMost !== undefined && !(value <= atMost);

const renderTable = ({ title, columns, rows }: Table): string[] => {
  const line = (label: string, cells: readonly string[]): string =>
    `    ${label.padEnd(44)}${cells.map((cell) => cell.padStart(CELL)).join('')}`;
  return [
    `  ${title}`,
    line(
      '',
      columns.map(({ name }) => name),
    ),
    ...rows.map(({ name, values }) =>
      line(
        name,
        values.map((value, index) => formatNumber(value) + (isOver(value, columns[index]?.atMost) ? ' !' : '')),
      ),
    ),
    line(
      'goal: at most (! is above it)',
      columns.map(({ atMost }) => (atMost === undefined ? '' : formatNumber(atMost))),
    ),
  ];
};

const renderNotRun = ({ title, why }: NotRun): string[] => [`  ${title}`, `    NOT RUN: ${why}`];

export const renderResult = (result: Result): string[] => {
  switch (result.kind) {
    case 'comparison':
      return renderComparison(result);
    case 'reading':
      return renderReading(result);
    case 'table':
      return renderTable(result);
    case 'not run':
      return renderNotRun(result);
  }
};

const isTableMet = ({ columns, rows }: Table): boolean =>
  rows.every(({ values }) => values.every((value, index) => !isOver(value, columns[index]?.atMost)));

/** True only if every goal was measured and met. */
export const isMet = (result: Result): boolean => {
  switch (result.kind) {
    case 'comparison':
      return result.goal === null || ratioOf(result.rounds) >= result.goal.atLeast;
    case 'reading':
      return !result.goal || isWithin(result.goal, summarize(result.values).median);
    case 'table':
      return isTableMet(result);
    case 'not run':
      return false;
  }
};
