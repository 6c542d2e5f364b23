import { type Html, html } from '../../../platform/index.ts';
import { field, postForm } from '../../form.ts';
import type { Person } from '../../person.ts';
import { askPage } from './ask-page.ts';
import type { TelephonyPage } from './show-telephony.ts';

export const ERASE = '/settings/telephony/erase';

type Erased = { calls: number; recordings: number; held: number };

const whatGoes: Html = html`<ul>
<li>every call from and to it, with its story and its place in the lists;</li>
<li>the recordings of these calls;</li>
<li>what was received of them, and what is held aside and mentions it.</li>
</ul>
<p>Reports that were made already keep their figures. What the provider keeps stays there: have it deleted there, too.</p>`;

export const erasePage = ({ csrfToken }: Person, number: string): Omit<TelephonyPage, 'notice'> => ({
  title: 'Erase a phone number',
  content: html`<p class="lead">Takes everything about one number out of this team’s records:</p>
${whatGoes}
<div class="sheet">${postForm({
    action: ERASE,
    csrfToken,
    button: 'Go on …',
    kind: 'plain',
    content: field({
      name: 'number',
      label: 'Number',
      value: number,
      required: true,
      hint: 'With country code, like +15551230001.',
    }),
  })}</div>
<p><a href="/settings/telephony">Back</a></p>`,
});

/** The number goes along in the form: in an address it would stay in logs. */
export const askErasePage = ({ csrfToken }: Person, number: string): TelephonyPage =>
  askPage(
    {
      title: `Erase everything about ${number}?`,
      content: html`<p>This cannot be undone. What goes:</p>${whatGoes}`,
      action: ERASE,
      fields: html`<input type="hidden" name="number" value="${number}"><input type="hidden" name="sure" value="yes">`,
      button: 'Erase all of it',
      back: ERASE,
    },
    csrfToken,
  );

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const erasedPage = (number: string, { calls, recordings, held }: Erased): TelephonyPage => ({
  title: `${number} is erased`,
  content: html`<div class="sheet"><p>${counted(calls, 'call', 'calls')}, ${counted(recordings, 'recording', 'recordings')} and ${counted(held, 'held request', 'held requests')} went.</p>
<p><a href="/settings/telephony">Back to telephony</a></p></div>`,
});
