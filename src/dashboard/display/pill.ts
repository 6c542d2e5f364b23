import { type Html, html } from '../../platform/index.ts';
import { OUTCOME_COLORS } from '../../telephony/index.ts';
import type { Tone } from '../parts.ts';

/** A state in a few words on a tinted background. `isLive` marks a state that will soon change. */
export const pill = (tone: Tone, words: Html | string, isLive = false): Html =>
  html`<span class="pill${tone !== 'none' && ` ${tone}`}${isLive && ' now'}">${words}</span>`;

/** How a call ended, in the color that this outcome has everywhere. */
export const outcomePill = (outcome: keyof typeof OUTCOME_COLORS, words: string): Html =>
  html`<span class="pill" data-outcome="${outcome}">${words}</span>`;

/** The outcome colors as custom properties, for the style sheet. */
export const OUTCOME_STYLES = Object.entries(OUTCOME_COLORS)
  .map(
    ([outcome, { light, dark }]) => `[data-outcome="${outcome}"] {\n  --outcome: light-dark(${light}, ${dark});\n}\n`,
  )
  .join('\n');
