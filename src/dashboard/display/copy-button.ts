import { type Html, html } from '../../platform/index.ts';

/** Copies the value, or the text right before the button. Only appears with JavaScript: see `frame.js`. */
export const copyButton = (what: string, value?: string): Html =>
  html`<button type="button" class="copies" aria-label="Copy ${what}" title="Copy"${value !== undefined && html` data-copy="${value}"`}></button>`;

/** A copy button with words, for a value that isn't shown next to it. */
export const copyButtonSaying = (words: string, value: string): Html =>
  html`<button type="button" class="copies worded" data-copy="${value}">${words}</button>`;

/** A short value in a line of text, such as an ID. */
export const copyable = (what: string, value: string): Html =>
  html`<span class="copyable"><code>${value}</code>${copyButton(what)}</span>`;

/** A value on its own, such as a URL or a secret. */
export const copyBlock = (what: string, value: Html | string): Html =>
  html`<div class="copy-block"><pre class="copy"><code>${value}</code></pre>${copyButton(what)}</div>`;
