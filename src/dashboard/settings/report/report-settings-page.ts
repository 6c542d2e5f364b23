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
    content: html`<fieldset class="choices"><legend>Who gets the email</legend>
${radio('admins', who, 'Team admins')}
${radio('listed', who, 'These addresses')}
<p class="field indented"><label class="unseen" for="addresses">Addresses, one per line</label>
<textarea id="addresses" name="addresses" rows="4" spellcheck="false" aria-describedby="addresses-hint">${addresses}</textarea>
<span class="hint" id="addresses-hint">One per line. If the list is empty, no one gets the email.</span></p></fieldset>`,
  });

const mailState = ({ addresses, sendsMail }: Recipients): Html => {
  if (!sendsMail)
    return html`<p><span class="state warn">Email isn't set up</span></p>
<p class="quiet">Ask whoever runs this Patchbay to set <code>SMTP_URL</code> and <code>MAIL_FROM</code>. Until then, you can read the report every week under <a href="/reports">Reports</a>.</p>`;
  if (addresses.length === 0) return html`<p><span class="state warn">No one gets the email</span></p>`;
  return html`<p><span class="state good">The next report goes to</span></p><ul>${addresses.map((address) => html`<li>${address}</li>`)}</ul>`;
};

const forAdmins = ({ form, recipients, slack }: ReportSettingsView, person: Person): Html =>
  html`<section class="sheet"><h2>Email</h2>
${mailState(recipients)}
${recipientsForm(form, person.csrfToken)}</section>
${slackSection(person, slack)}`;

const forMembers = ({ recipients }: ReportSettingsView): Html =>
  html`<section class="sheet"><h2>Who gets the report</h2>
${mailState(recipients)}
${recipients.slack ? html`<p><span class="state good">The report is posted to Slack</span></p>` : ''}</section>
<p class="quiet">A team admin can change who gets it.</p>`;

export const reportSettingsPage = (person: Person, view: ReportSettingsView): Page => ({
  title: 'Weekly report',
  content: html`${settingsTabs(person, 'report')}${view.notice}
<p class="lead">Ready every Monday at 8 a.m. in your team's time zone (${person.team.timeZone}).</p>
${person.role === 'admin' ? forAdmins(view, person) : forMembers(view)}`,
});
