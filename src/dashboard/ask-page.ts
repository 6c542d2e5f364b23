import { type Html, html } from '../platform/index.ts';
import { postForm } from './form.ts';
import type { DashboardPage, MenuEntry } from './frame.ts';
import type { Person } from './person.ts';

export type Question = {
  title: string;
  /** What is removed and what stays. */
  content: Html;
  /** Hidden fields of the form. */
  fields?: Html;
  button: string;
  /** Where Cancel leads. */
  back: string;
  /** The pages above this one, as in `DashboardPage`. */
  under?: readonly MenuEntry[];
};

export const askPage = (
  person: Person,
  action: string,
  { title, content, fields = html``, button, back, under = [] }: Question,
): DashboardPage => ({
  title,
  under,
  content: html`<div class="sheet asks">${content}
<div class="row">${postForm(person, { action, button, kind: 'danger', content: fields })}<a class="button plain" href="${back}">Cancel</a></div></div>`,
});
