import { type Html, html } from '../../../platform/index.ts';
import { postForm } from '../../form.ts';
import type { TelephonyPage } from './show-telephony.ts';

type Question = {
  title: string;
  /** What is removed and what stays. */
  content: Html;
  action: string;
  /** What the form carries along. */
  fields?: Html;
  button: string;
  /** Where Cancel leads. */
  back: string;
};

/** Asks before something is removed for good. */
export const askPage = (
  { title, content, action, fields, button, back }: Question,
  csrfToken: string,
): TelephonyPage => ({
  title,
  content: html`<div class="sheet">${content}
<div class="row">${postForm({ action, csrfToken, button, kind: 'danger', ...(fields && { content: fields }) })}<a href="${back}">Cancel</a></div></div>`,
});
