import { type Html, html } from '../../platform/index.ts';
import type { OUTCOME_COLORS } from '../../telephony/index.ts';

const HEIGHT = 120;
const [SLOT, BAR] = [10, 6];
/** The gap between the parts of one bar. */
const GAP = 1;

type OutcomeKey = keyof typeof OUTCOME_COLORS;

type BarChart = {
  /** What the chart shows, for screen readers: "Calls per week". */
  label: string;
  /** The parts of each bar, from bottom to top, with their names in the legend. */
  parts: Readonly<Partial<Record<OutcomeKey, string>>>;
  /** `name` is the short name below the bar, `title` the full name. */
  bars: readonly { name: string; title: string; counts: Readonly<Partial<Record<OutcomeKey, number>>> }[];
};

/** Bars side by side, made of outcomes in their own colors. The names aren't SVG text, which would be stretched. */
export const barChart = ({ label, parts, bars }: BarChart): Html => {
  const keys = Object.keys(parts) as OutcomeKey[];
  const totals = bars.map(({ counts }) => keys.reduce((sum, key) => sum + (counts[key] ?? 0), 0));
  const scale = HEIGHT / Math.max(1, ...totals);
  const wordsOf = ({ title, counts }: BarChart['bars'][number]): string =>
    `${title}: ${keys.map((key) => `${(counts[key] ?? 0).toLocaleString('en')} ${parts[key]}`).join(', ')}`;
  const barOf = (bar: BarChart['bars'][number], index: number): Html => {
    let bottom = HEIGHT;
    const rects = keys.map((key) => {
      const height = (bar.counts[key] ?? 0) * scale;
      bottom -= height;
      const shown = Math.max(height - (bottom > 0 ? GAP : 0), Math.min(height, GAP));
      return (
        height > 0 &&
        html`<rect data-outcome="${key}" x="${index * SLOT + (SLOT - BAR) / 2}" y="${Number((bottom + height - shown).toFixed(1))}" width="${BAR}" height="${Number(shown.toFixed(1))}"/>`
      );
    });
    return html`<g><title>${wordsOf(bar)}</title>${rects}</g>`;
  };
  return html`<figure class="bar-chart"><figcaption class="legend">${keys.map((key) => html`<span data-outcome="${key}">${parts[key]}</span>`)}</figcaption>
<svg viewBox="0 0 ${bars.length * SLOT} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${[label, ...bars.map(wordsOf)].join('. ')}.">${bars.map(barOf)}</svg>
<div class="bar-names" aria-hidden="true">${bars.map(({ name }) => html`<span>${name}</span>`)}</div></figure>`;
};
