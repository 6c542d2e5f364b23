import { html } from '../../../../platform/index.ts';
import { type NumberAnswer, previewAnswer } from '../../../../telephony/index.ts';
import { postForm } from '../../../form.ts';
import type { DashboardPage } from '../../../frame.ts';
import type { Person } from '../../../person.ts';
import { previewWords } from './answer-words.ts';
import { type NumberFieldsView, numberFields } from './number-fields.ts';

export const NUMBERS = '/settings/telephony/numbers';

export const newNumberPage = (person: Person, view: NumberFieldsView): DashboardPage => ({
  title: 'Add a number',
  content:
    view.accounts.length === 0
      ? html`<div class="empty"><p>A number belongs to a telephony account, so add that first.</p>
<p><a class="button" href="/settings/telephony/accounts/new">Add an account</a></p></div>`
      : html`<div class="sheet phone-form">${postForm(person, { action: `${NUMBERS}/new`, button: 'Add number', content: numberFields(view) })}</div>
<p><a href="/settings/telephony">Back</a></p>`,
});

/** The preview shows what is saved, which is what the next caller hears. */
export const numberPage = (person: Person, number: NumberAnswer, view: NumberFieldsView): DashboardPage => ({
  title: number.label ? `${number.number} ${number.label}` : number.number,
  content: html`<p><a href="/settings/telephony">All accounts and numbers</a></p>
<div class="phone-number">
<section class="sheet phone-preview"><h2>What callers hear</h2>${previewWords(previewAnswer(number.answer))}</section>
<div class="sheet phone-form">${postForm(person, { action: `${NUMBERS}/${number.id}`, button: 'Save', content: numberFields(view) })}</div>
</div>
<section class="sheet"><h2>Remove</h2>
<p>Callers will hear that the number is not in service. Its calls and recordings stay.</p>
<p><a class="button danger" href="${NUMBERS}/${number.id}/remove">Remove number…</a></p></section>`,
});
