import { type HourCycle, type Html, html } from '../../platform/index.ts';
import {
  busyRows,
  describeHeat,
  describeOutcomes,
  formatCell,
  measureHeatChart,
  measureOutcomeChart,
  NO_CALLS,
  type Section,
  SHORT_DAYS,
  type ShownReport,
} from '../../reports/index.ts';
import { rowsTable } from './section-sheet.ts';

type Figures = ShownReport['figures'];

const heatTable = ({ heat }: Figures, hourCycle: HourCycle): Html => {
  const rows = busyRows(heat, hourCycle);
  if (rows.length === 0) return html`<p>${NO_CALLS}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Calls by hour, as a table"><table class="by-hour">
<caption>Hours without calls are left out. – marks an hour that the clocks skipped.</caption>
<thead><tr><th scope="col">Hour</th>${SHORT_DAYS.map((day) => html`<th scope="col" class="number">${day}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ({ hour, calls }) =>
    html`<tr><th scope="row">${hour}</th>${calls.map((count) => html`<td class="number">${formatCell(count)}</td>`)}</tr>
`,
)}</tbody></table></div>`;
};

/** The chart of calls by hour. The image has a fixed size, so that nothing moves when it loads. */
export const heatFigure = (week: string, figures: Figures, hourCycle: HourCycle): Html => {
  const { width, height } = measureHeatChart(figures.heat);
  return html`<section class="sheet chart">
<h2>Calls by hour</h2>
<img src="/reports/${week}/heat.svg" width="${width}" height="${height}" alt="Calls by weekday and hour. ${describeHeat(figures.heat, hourCycle)}">
<details><summary>Calls by hour as a table</summary>${heatTable(figures, hourCycle)}</details>
</section>`;
};

export const outcomesFigure = (week: string, figures: Figures, section: Section | undefined): Html => {
  const { title, rows } = section ?? { title: 'How calls ended', rows: [] };
  const { width, height } = measureOutcomeChart(figures.outcomes);
  return html`<section class="sheet chart">
<h2>${title}</h2>
<img src="/reports/${week}/outcomes.svg" width="${width}" height="${height}" alt="${describeOutcomes(figures.outcomes)}">
<details><summary>${title}, as a table</summary>${rowsTable(title, rows)}</details>
</section>`;
};
