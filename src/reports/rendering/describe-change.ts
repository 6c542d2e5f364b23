import type { Compared } from '../figures/figures.ts';

type Unit = 'calls' | 'seconds';

/** If the previous week had fewer than this, a percentage would mislead: going from 1 call to 3 is "200%". */
const FEW: Record<Unit, number> = { calls: 10, seconds: 600 };
/** From here on, "10 times as many" reads better than a percentage. */
const MANY_TIMES = 10;

const counts = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const formatCount = (count: number): string => counts.format(count);

/** Formats a duration: "42 s", "2 min 5 s", "1,234 h 5 min". */
export const formatSeconds = (seconds: number): string => {
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes === 0) return `${whole} s`;
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
};

/**
 * Compares this week with the previous one, in words. Null if there was no previous week: a report says so once, not
 * for each figure.
 */
export const describeChange = ({ value, before }: Compared, unit: Unit = 'calls'): string | null => {
  const [format, less, much] = unit === 'calls' ? [formatCount, 'fewer', 'many'] : [formatSeconds, 'less', 'much'];
  if (before === null) return null;
  if (value === before) return 'same as the week before';
  const direction = value > before ? 'more' : less;
  const than = `the week before (${format(before)})`;
  if (before < FEW[unit]) return `${format(Math.abs(value - before))} ${direction} than ${than}`;
  if (value >= before * MANY_TIMES) return `${formatCount(Math.round(value / before))} times as ${much} as ${than}`;
  const percent = Math.round((Math.abs(value - before) / before) * 100);
  return percent === 0 ? `about the same as ${than}` : `${percent}% ${direction} than ${than}`;
};
