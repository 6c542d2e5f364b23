import { type Html, html } from '../platform/index.ts';

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
