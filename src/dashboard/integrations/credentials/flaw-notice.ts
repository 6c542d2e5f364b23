import { type Html, html, type Refusal } from '../../../platform/index.ts';
import { problemNotice } from '../../form.ts';
import { labelOf } from '../label.ts';

/** Shown above a form that was refused: each flaw with the label of its field. */
export const flawNotice = (problem: Refusal): Html | null =>
  problem.errors?.length
    ? html`<div class="notice bad" role="alert">${problem.errors.map(
        ({ path, message }) => html`<p><strong>${labelOf(path.replace(/^params\./, ''))}</strong> ${message}.</p>`,
      )}</div>`
    : problemNotice(problem);
