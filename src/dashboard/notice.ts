import { type Html, html, type InputError, type Refusal } from '../platform/index.ts';

export const goodNotice = (text: Html | string): Html =>
  html`<div class="notice good" role="status"><p>${text}</p></div>`;

export const badNotice = (text: Html | string): Html =>
  html`<div class="notice bad" role="status"><p>${text}</p></div>`;

/**
 * After a form succeeds, the browser is redirected to a page with `?done=<what>`, which shows a message. Anyone can
 * write such a URL, so it is only a message and changes nothing.
 */
export const doneNotice = (words: Readonly<Record<string, string>>, done: string | undefined): Html | null =>
  done !== undefined && Object.hasOwn(words, done) ? goodNotice(words[done] ?? '') : null;

/** What is wrong with a field, by its label on the page. */
export type ExplainError = (error: InputError) => { name: string; message: string };

const byPath: ExplainError = ({ path, message }) => ({ name: path.replace(/^body\./, ''), message });

/** Shown above a form that was refused. */
export const problemNotice = ({ message: what, errors = [] }: Refusal, explain = byPath): Html =>
  html`<div class="notice bad" role="alert"><p>${what}</p>${
    errors.length > 0 &&
    html`<ul>${errors.map(explain).map(({ name, message }) => html`<li><strong>${name}</strong> ${message}</li>`)}</ul>`
  }</div>`;
