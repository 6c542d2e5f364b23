import { type Html, html, Type } from '../../../platform/index.ts';
import { askPage } from '../../ask-page.ts';
import { phoneWords } from '../../display/phone.ts';
import { field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { problemNotice } from '../../notice.ts';
import type { PageRoutes } from '../../pages.ts';
import type { Person } from '../../person.ts';
import { explainNumberError } from './numbers/number-form.ts';

const ERASE = '/settings/telephony/erase';

const EraseForm = Type.Object({ number: Type.String({ maxLength: 256 }), sure: Type.Optional(Type.Literal('yes')) });

const whatGoes: Html = html`<ul>
<li>every call to and from it, with its history;</li>
<li>the recordings of these calls;</li>
<li>the original requests about them, and requests set aside that mention it.</li>
</ul>
<p>Existing reports keep their figures. Your provider keeps its own copies, so have them deleted there too.</p>`;

const erasePage = (person: Person, number: string): DashboardPage => ({
  title: 'Erase a phone number',
  content: html`<p class="lead">This removes everything about one number from your team's records:</p>
${whatGoes}
<div class="sheet">${postForm(person, {
    action: ERASE,
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

/** Asks for confirmation. The number is sent in the form, because a URL would end up in logs. */
const askErasePage = (person: Person, number: string): DashboardPage =>
  askPage(person, ERASE, {
    title: `Erase everything about ${phoneWords(number, person.region)}?`,
    content: html`<p>This can't be undone. It erases:</p>${whatGoes}`,
    fields: html`<input type="hidden" name="number" value="${number}"><input type="hidden" name="sure" value="yes">`,
    button: 'Erase everything',
    back: ERASE,
  });

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Erases everything about one phone number, for people who want their data deleted. */
export const eraseRoutes: PageRoutes = ({ page, form }, { telephony: { numbers } }) => {
  page(ERASE, { access: 'admin' }, ({ person }) => erasePage(person, ''));

  form(
    ERASE,
    { access: 'admin', body: EraseForm },
    async ({ person, actor, body }) => {
      const number = body.number.trim();
      if (body.sure !== 'yes') return askErasePage(person, number);
      const { calls, recordings, held } = await numbers.erase(person.team.id, actor, number);
      return {
        title: `${phoneWords(number, person.region)} was erased`,
        content: html`<div class="sheet"><p>Erased: ${counted(calls, 'call')}, ${counted(recordings, 'recording')}, and ${counted(held, 'request')} that had been set aside.</p>
<p><a href="/settings/telephony">Back to telephony</a></p></div>`,
      };
    },
    ({ person, body }, problem) => ({
      ...erasePage(person, body.number.trim()),
      notice: problemNotice(problem, explainNumberError),
    }),
  );
};
