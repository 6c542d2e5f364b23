import { html } from '../../platform/index.ts';
import { OUTCOME_COLORS } from '../../telephony/index.ts';
import type { Figures } from '../figures/figures.ts';
import { formatCount } from './describe-change.ts';
import { FIGURE_NAMES } from './sections.ts';

const WIDTH = 360;
const ROW_HEIGHT = 30;
/** Where the bars start and end. Names are to the left of the bars, figures to the right. */
const BARS = [104, 282] as const;
const MARK_AREA = 40;

const SHOWN = ['answered', 'missed', 'abandoned', 'voicemail', 'other'] as const;

const fillsIn = (mode: 'light' | 'dark'): string =>
  SHOWN.map((outcome) => `.${outcome}{fill:${OUTCOME_COLORS[outcome][mode]}}`).join('');

const STYLE = `text{font:12px system-ui,sans-serif;fill:#1d2126}.quiet{fill:#5a6068}${fillsIn('light')}.rail{fill:#ddd8cd;fill-opacity:.5}.before{fill:#faf8f4;stroke:#1d2126;stroke-width:1.5}
@media (prefers-color-scheme:dark){text{fill:#e9e6df}.quiet{fill:#a3a8ae}${fillsIn('dark')}.rail{fill:#33383e;fill-opacity:1}.before{fill:#16181b;stroke:#e9e6df}}`;

const barsOf = (outcomes: Figures['outcomes']) =>
  SHOWN.map((outcome) => ({
    name: FIGURE_NAMES[outcome],
    figure: outcomes[outcome],
    outcome,
  }));

/** Describes the chart in words. */
export const describeOutcomes = (outcomes: Figures['outcomes']): string =>
  barsOf(outcomes)
    .map(({ name, figure: { value, before } }) => {
      const then = before === null ? '' : ` (the week before: ${formatCount(before)})`;
      return `${name}: ${formatCount(value)}${then}.`;
    })
    .join(' ');

/** Measures the chart. Includes the height of a legend only if the previous week is marked. */
export const measureOutcomeChart = (outcomes: Figures['outcomes']) => {
  const bars = barsOf(outcomes);
  const isCompared = bars.some(({ figure }) => figure.before !== null);
  const bottom = bars.length * ROW_HEIGHT;
  return { width: WIDTH, height: bottom + (isCompared ? 24 : 4), bottom, isCompared };
};

/** Draws a bar for each outcome this week, and a diamond where the bar ended in the previous week. */
export const renderOutcomeChart = async (outcomes: Figures['outcomes']): Promise<string> => {
  const [{ scaleBand, scaleLinear }, { symbol, symbolDiamond }] = await Promise.all([
    import('d3-scale'),
    import('d3-shape'),
  ]);
  const bars = barsOf(outcomes);
  const { height, bottom, isCompared } = measureOutcomeChart(outcomes);
  const most = Math.max(1, ...bars.flatMap(({ figure: { value, before } }) => [value, before ?? 0]));
  const x = scaleLinear([0, most], BARS);
  const y = scaleBand(
    bars.map(({ name }) => name),
    [0, bottom],
  ).padding(0.4);
  const mark = symbol(symbolDiamond, MARK_AREA)();
  const drawn = bars.map(({ name, figure: { value, before }, outcome }) => {
    const top = y(name) ?? 0;
    const middle = top + y.bandwidth() / 2;
    const rail = html`x="${BARS[0]}" y="${top.toFixed(1)}" height="${y.bandwidth().toFixed(1)}"`;
    return html`<text x="0" y="${(middle + 4).toFixed(1)}">${name}</text><rect class="rail" ${rail} width="${BARS[1] - BARS[0]}"/><rect class="${outcome}" ${rail} width="${(x(value) - BARS[0]).toFixed(1)}"/>${before !== null && html`<path class="before" d="${mark}" transform="translate(${x(before).toFixed(1)} ${middle.toFixed(1)})"/>`}<text x="${WIDTH}" y="${(middle + 4).toFixed(1)}" text-anchor="end">${formatCount(value)}</text>
`;
  });
  const legend = html`<path class="before" d="${mark}" transform="translate(${BARS[0] + 6} ${bottom + 10})"/><text class="quiet" x="${BARS[0] + 18}" y="${bottom + 14}">the week before</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">How inbound calls ended</title>
<desc id="desc">${describeOutcomes(outcomes)}</desc>
<style>${STYLE}</style>
${drawn}${isCompared && legend}
</svg>
`.toString();
};
