import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { Recipients, ShownSlackAddress } from '../../../reports/index.ts';
import { postForm } from '../../form.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';
import type { RecipientsForm } from './recipients-form.ts';
import { slackSection } from './slack-part.ts';

type ReportSettingsView = {
  form: RecipientsForm;
  recipients: Recipients;
  /** Only for admins. */
  slack: ShownSlackAddress | null;
  notice: Html | null;
};

const radio = (value: string, chosen: string, label: string): Html =>
  html`<p><label><input type="radio" name="who" value="${value}"${value === chosen ? html` checked` : ''}> ${label}</label></p>`;

const recipientsForm = ({ who, addresses }: RecipientsForm, csrfToken: string): Html =>
  postForm({
    action: '/settings/report',
    csrfToken,
    button: 'Save',
    content: html`<fieldset class="choices"><legend>Who gets the mail</legend>
${radio('admins', who, 'The admins of the team')}
${radio('listed', who, 'These addresses')}
<p class="field indented"><label class="unseen" for="addresses">Addresses, one per line</label>
<textarea id="addresses" name="addresses" rows="4" spellcheck="false" aria-describedby="addresses-hint">${addresses}</textarea>
<span class="hint" id="addresses-hint">One per line. With an empty list nobody gets a mail.</span></p></fieldset>`,
  });

const mailState = ({ addresses, sendsMail }: Recipients): Html => {
  if (!sendsMail)
    return html`<p><span class="state warn">Mail is not set up</span></p>
<p class="quiet">Whoever runs this Patchbay sets <code>SMTP_URL</code> and <code>MAIL_FROM</code>. The report is made each week all the same: see <a href="/reports">reports</a>.</p>`;
  if (addresses.length === 0) return html`<p><span class="state warn">Nobody gets a mail</span></p>`;
  return html`<p><span class="state good">The next report is mailed to</span></p><ul>${addresses.map((address) => html`<li>${address}</li>`)}</ul>`;
};

const forAdmins = ({ form, recipients, slack }: ReportSettingsView, person: Person): Html =>
  html`<section class="sheet"><h2>By mail</h2>
${mailState(recipients)}
${recipientsForm(form, person.csrfToken)}</section>
${slackSection(person, slack)}`;

const forMembers = ({ recipients }: ReportSettingsView): Html =>
  html`<section class="sheet"><h2>Who gets it</h2>
${mailState(recipients)}
${recipients.slack ? html`<p><span class="state good">It is posted in Slack</span></p>` : ''}</section>
<p class="quiet">An admin of the team can change who gets it.</p>`;

export const reportSettingsPage = (person: Person, view: ReportSettingsView): Page => ({
  title: 'Weekly report',
  content: html`${settingsTabs(person, 'report')}${view.notice}
<p class="lead">Made every Monday at eight, in the team’s time zone (${person.team.timeZone}).</p>
${person.role === 'admin' ? forAdmins(view, person) : forMembers(view)}`,
});
