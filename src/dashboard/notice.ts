import { type Html, html, type InputError, type Refusal } from '../platform/index.ts';

export const goodNotice = (text: Html | string): Html =>
  html`<div class="notice good" role="status"><p>${text}</p></div>`;

export const badNotice = (text: Html | string): Html =>
  html`<div class="notice bad" role="status"><p>${text}</p></div>`;

/**
 * The message after a form succeeded. The browser is redirected to a page with `?done=<what>`, which shows the message.
 * Anyone can write such a URL, so the page only shows text.
 */
export const doneNotice = (words: Readonly<Record<string, string>>, done: string | undefined): Html | null =>
  done !== undefined && Object.hasOwn(words, done) ? goodNotice(words[done] ?? '') : null;

/** Describes an error with the label of its field on the page. */
export type ExplainError = (error: InputError) => { name: string; message: string };

/** The label of a field: `user_type` → “User type”, `clientId` → “Client ID”. */
export const labelOf = (name: string): string => {
  const words = name.replaceAll('_', ' ').replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\b(?:id|url)\b/i, (word) => word.toUpperCase());
};

/** Uses the last name in the path as the label: `businessHours.friday` → “Friday”. */
const byLabel: ExplainError = ({ path, message }) => {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part));
  return { name: labelOf(name ?? path), message };
};

/** The message above a form that was refused. */
export const problemNotice = ({ message: what, errors = [] }: Refusal, explain = byLabel): Html =>
  html`<div class="notice bad" role="alert"><p>${what}</p>${
    errors.length > 0 &&
    html`<ul>${errors.map(explain).map(({ name, message }) => html`<li><strong>${name}</strong> ${message}</li>`)}</ul>`
  }</div>`;
