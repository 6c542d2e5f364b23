import { type Html, html } from '../platform/index.ts';

export const goodNotice = (text: Html | string): Html =>
  html`<div class="notice good" role="status"><p>${text}</p></div>`;

export const badNotice = (text: Html | string): Html =>
  html`<div class="notice bad" role="status"><p>${text}</p></div>`;

/**
 * After a form has done its work the browser is led back to a page with `?done=<what>`, and the page says it in words.
 * Anybody can write such an address: it is told as news and changes nothing.
 */
export const doneNotice = (words: Readonly<Record<string, string>>, done: string | undefined): Html | null =>
  done !== undefined && Object.hasOwn(words, done) ? goodNotice(words[done] ?? '') : null;
