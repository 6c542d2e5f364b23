import type { Comparison, NotRun, Reading, Result } from './benchmark.ts';
import { ratioOf, ratiosOf, type Summary, spreadOf, summarize } from './summarize.ts';

/** Beyond this the machine was doing something else too, and the run is worth repeating. */
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

const renderReading = ({ title, unit, values, aim }: Reading): string[] => [
  `  ${title}`,
  measuredRow('median', values, unit),
  ...(aim ? [row('aim', `< ${aim.under}`, verdict(summarize(values).median < aim.under))] : []),
];

const renderNotRun = ({ title, why }: NotRun): string[] => [`  ${title}`, `    NOT RUN: ${why}`];

export const renderResult = (result: Result): string[] => {
  if (result.kind === 'comparison') return renderComparison(result);
  return result.kind === 'reading' ? renderReading(result) : renderNotRun(result);
};

/** True only where every goal was measured and met. */
export const isMet = (result: Result): boolean => {
  if (result.kind === 'not run') return false;
  return result.kind === 'reading' || result.goal === null || ratioOf(result.rounds) >= result.goal.atLeast;
};
