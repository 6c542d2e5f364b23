import { type Html, html } from '../../platform/index.ts';
import type { Tone } from '../parts.ts';

const [WIDTH, HEIGHT, EDGE] = [100, 28, 2];

type Sparkline = {
  /** What the line shows, for screen readers: "Calls per week". */
  label: string;
  /** The values, oldest first. Null is a gap. */
  values: readonly (number | null)[];
  /** Formats a value for screen readers. */
  say?: (value: number) => string;
  tone?: Tone;
};

/** A line without axes, shown next to a figure. The scale starts at zero, so that a small change looks small. */
export const sparkline = ({ label, values, say = String, tone = 'none' }: Sparkline): Html | null => {
  if (values.filter((value) => value !== null).length < 2) return null;
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / (values.length - 1);
  const points = values.flatMap((value, index) => {
    if (value === null) return [];
    const y = HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE);
    return [`${Number((index * step).toFixed(1))},${Number(y.toFixed(1))}`];
  });
  const told = values.map((value) => (value === null ? 'no data' : say(value))).join(', ');
  return html`<svg class="sparkline${tone !== 'none' && ` ${tone}`}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}, oldest first: ${told}"><polyline points="${points.join(' ')}" vector-effect="non-scaling-stroke"/></svg>`;
};
