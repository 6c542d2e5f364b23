import { type HourCycle, html } from '../../platform/index.ts';
import type { Figures } from '../figures/figures.ts';
import { formatCount } from './describe-change.ts';

type Heat = Figures['heat'];
/** The calls in one hour of the day, Monday to Sunday. */
type HeatRow = { hour: string; calls: (number | null)[] };

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Names an hour the way its reader writes it: "5 PM" or "17". */
const nameHour = (hour: number, hourCycle: HourCycle): string =>
  hourCycle === 'h23' ? String(hour).padStart(2, '0') : `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`;

export const SHORT_DAYS = DAYS.map((day) => day.slice(0, 3));
/** Stands for an hour that the clocks skipped. */
const NO_HOUR = '–';
export const NO_CALLS = 'No calls this week.';

const toRows = (heat: Heat, hourCycle: HourCycle): HeatRow[] =>
  HOURS.map((hour) => ({
    hour: nameHour(hour, hourCycle),
    calls: DAYS.map((_, day) => heat[day]?.[hour] ?? null),
  }));

/** The hours with at least one call, or that the clocks skipped on some day. */
export const busyRows = (heat: Heat, hourCycle: HourCycle): HeatRow[] =>
  toRows(heat, hourCycle).filter(({ calls }) => calls.some((count) => count !== 0));

export const formatCell = (count: number | null): string => (count === null ? NO_HOUR : formatCount(count));

/** The calls by hour as monospaced lines. */
export const formatHeat = (heat: Heat, hourCycle: HourCycle): string => {
  const rows = busyRows(heat, hourCycle);
  if (rows.length === 0) return NO_CALLS;
  const lines = [['', ...SHORT_DAYS], ...rows.map(({ hour, calls }) => [hour, ...calls.map(formatCell)])];
  const width = Math.max(...lines.flatMap(([, ...cells]) => cells.map(({ length }) => length)));
  const names = Math.max(...rows.map(({ hour }) => hour.length));
  return lines
    .map(([hour = '', ...cells]) => [hour.padStart(names), ...cells.map((cell) => cell.padStart(width))].join(' '))
    .join('\n');
};

/** Shortens counts from ten thousand on to "12.3K", because a cell is narrow. The table beside the chart is exact. */
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const formatShort = (count: number | null): string =>
  count !== null && count >= 10_000 ? short.format(count) : formatCell(count);

/** Describes the chart in words. */
export const describeHeat = (heat: Heat, hourCycle: HourCycle): string => {
  const cells = toRows(heat, hourCycle).flatMap(({ hour, calls }) =>
    calls.map((count, day) => ({ hour, day, count: count ?? 0 })),
  );
  const most = cells.reduce((best, cell) => (cell.count > best.count ? cell : best), { hour: '', day: 0, count: 0 });
  if (most.count === 0) return NO_CALLS;
  return `Most calls in one hour: ${formatCount(most.count)}, on ${DAYS[most.day]} at ${most.hour}${hourCycle === 'h23' ? ':00' : ''}.`;
};

/** The hours that the chart of an empty week shows. */
const OFFICE_HOURS = { first: 8, last: 18 };

/** The hours from the first to the last with calls on any day. Leaves out mornings and nights without calls. */
const cropRows = (heat: Heat, hourCycle: HourCycle): HeatRow[] => {
  const rows = toRows(heat, hourCycle);
  const hasCalls = ({ calls }: HeatRow): boolean => calls.some(Boolean);
  const [first, last] = [rows.findIndex(hasCalls), rows.findLastIndex(hasCalls)];
  return first < 0 ? rows.slice(OFFICE_HOURS.first, OFFICE_HOURS.last) : rows.slice(first, last + 1);
};

/** Layout of the chart. Hours go down and days go across, so that the figures are readable on a phone. */
const [WIDTH, ROW_HEIGHT, LEFT, TOP] = [360, 22, 40, 20];

export const measureHeatChart = (heat: Heat) => ({
  width: WIDTH,
  height: TOP + cropRows(heat, 'h23').length * ROW_HEIGHT,
});

/**
 * The opacity of cells. Hours without calls are blank, because zeros would hide the other figures. Every cell is
 * readable in light and dark mode.
 */
const NOTHING = 0.04;
const FAINTEST = 0.12;
const FULLEST = 0.45;

const STYLE = `text{font:11px system-ui,sans-serif;fill:#1d2126;text-anchor:middle}.name{fill:#5a6068}.cell{fill:#0b5d4e}.gone{fill:none;stroke:#ddd8cd}
@media (prefers-color-scheme:dark){text{fill:#e9e6df}.name{fill:#a3a8ae}.cell{fill:#6fd3bd}.gone{stroke:#33383e}}`;

export const renderHeatChart = async (heat: Heat, hourCycle: HourCycle): Promise<string> => {
  const { scaleBand, scaleSqrt } = await import('d3-scale');
  const rows = cropRows(heat, hourCycle);
  const { height } = measureHeatChart(heat);
  const x = scaleBand(DAYS, [LEFT, WIDTH]).padding(0.06);
  const y = scaleBand(
    rows.map(({ hour }) => hour),
    [TOP, height],
  ).padding(0.1);
  const most = Math.max(1, ...rows.flatMap(({ calls }) => calls.map((count) => count ?? 0)));
  const opacity = scaleSqrt([0, most], [0, FULLEST]);
  const cellOf = (hour: string, day: string, count: number | null) => {
    const [left = 0, top = 0] = [x(day), y(hour)];
    const depth = count ? Math.max(FAINTEST, opacity(count)) : NOTHING;
    const box = html`x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${x.bandwidth().toFixed(1)}" height="${y.bandwidth().toFixed(1)}" rx="3"`;
    const middle = html`x="${(left + x.bandwidth() / 2).toFixed(1)}" y="${(top + y.bandwidth() / 2 + 4).toFixed(1)}"`;
    return html`<rect ${box} ${count === null ? html`class="gone"` : html`class="cell" fill-opacity="${depth.toFixed(2)}"`}/>${count !== 0 && html`<text ${middle}>${formatShort(count)}</text>`}
`;
  };
  const rowOf = ({ hour, calls }: HeatRow) =>
    html`<text class="name" x="${LEFT / 2}" y="${((y(hour) ?? 0) + y.bandwidth() / 2 + 4).toFixed(1)}">${hour}</text>
${DAYS.map((day, index) => cellOf(hour, day, calls[index] ?? null))}`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">Calls by weekday and hour</title>
<desc id="desc">${describeHeat(heat, hourCycle)}</desc>
<style>${STYLE}</style>
${DAYS.map((day, index) => html`<text class="name" x="${((x(day) ?? 0) + x.bandwidth() / 2).toFixed(1)}" y="13">${SHORT_DAYS[index]}</text>`)}
${rows.map(rowOf)}</svg>
`.toString();
};
