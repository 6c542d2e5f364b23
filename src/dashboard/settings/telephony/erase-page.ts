import { type Html, html } from '../../../platform/index.ts';
import { field, postForm } from '../../form.ts';
import type { Person } from '../../person.ts';
import { askPage } from './ask-page.ts';
import type { TelephonyPage } from './show-telephony.ts';

export const ERASE = '/settings/telephony/erase';

type Erased = { calls: number; recordings: number; held: number };

const whatGoes: Html = html`<ul>
<li>every call to and from it, with its history;</li>
<li>the recordings of these calls;</li>
<li>the raw requests about them, and held requests that mention it.</li>
</ul>
<p>Existing reports keep their figures. Your provider keeps its own copies, so have them deleted there too.</p>`;

export const erasePage = ({ csrfToken }: Person, number: string): Omit<TelephonyPage, 'notice'> => ({
  title: 'Erase a phone number',
  content: html`<p class="lead">This removes everything about one number from your team's records:</p>
${whatGoes}
<div class="sheet">${postForm({
    action: ERASE,
    csrfToken,
    button: 'Continue',
    kind: 'plain',
    content: field({
      name: 'number',
      label: 'Number',
      value: number,
      required: true,
      hint: 'Include the country code, like +15551230001.',
    }),
  })}</div>
<p><a href="/settings/telephony">Back</a></p>`,
});

/** The number is sent in the form, since a URL would end up in logs. */
export const askErasePage = ({ csrfToken }: Person, number: string): TelephonyPage =>
  askPage(
    {
      title: `Erase everything about ${number}?`,
      content: html`<p>This can't be undone. It erases:</p>${whatGoes}`,
      action: ERASE,
      fields: html`<input type="hidden" name="number" value="${number}"><input type="hidden" name="sure" value="yes">`,
      button: 'Erase everything',
      back: ERASE,
    },
    csrfToken,
  );

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const erasedPage = (number: string, { calls, recordings, held }: Erased): TelephonyPage => ({
  title: `${number} was erased`,
  content: html`<div class="sheet"><p>${counted(calls, 'call', 'calls')}, ${counted(recordings, 'recording', 'recordings')} and ${counted(held, 'held request', 'held requests')} were erased.</p>
<p><a href="/settings/telephony">Back to telephony</a></p></div>`,
});
