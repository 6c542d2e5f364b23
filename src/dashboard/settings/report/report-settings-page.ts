import { type Html, html } from '../../../platform/index.ts';
import type { Recipients, ReportsDue, ShownSlackAddress } from '../../../reports/index.ts';
import { momentInText } from '../../display/moment.ts';
import { scheduleWords } from '../../display/schedule.ts';
import { mailMissing } from '../../display/service-settings.ts';
import { field, postForm, radio } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { state } from '../../parts.ts';
import type { Person } from '../../person.ts';
import type { RecipientsForm } from './recipients-form.ts';
import { type ScheduleForm, scheduleFields } from './schedule-form.ts';

type ReportSettingsView = {
  form: RecipientsForm;
  schedule: ScheduleForm;
  due: ReportsDue;
  /** The current week. The preview of its email shows what the next one will look like. */
  current: string;
  recipients: Recipients;
  /** The Slack settings, only for admins. */
  slack: ShownSlackAddress | null;
};

const recipientsFields = ({ who, addresses }: RecipientsForm): Html =>
  html`<fieldset class="choices"><legend>Who gets the email</legend>
${radio('who', 'admins', who, 'Team admins')}
${radio('who', 'listed', who, 'These addresses')}
<p class="field indented"><label class="unseen" for="addresses">Addresses, one per line</label>
<textarea id="addresses" name="addresses" rows="4" spellcheck="false" aria-describedby="addresses-hint">${addresses}</textarea>
<span class="hint" id="addresses-hint">One per line. If the list is empty, no one gets the email.</span></p></fieldset>`;

const mailState = ({ addresses, sendsMail }: Recipients): Html => {
  if (!sendsMail)
    return mailMissing(html`Until then, you can read the report every week under <a href="/reports">Reports</a>.`);
  if (addresses.length === 0) return html`<p>${state('warn', 'No one gets the email')}</p>`;
  return html`<p>${state('good', 'The next report goes to')}</p><ul>${addresses.map((address) => html`<li>${address}</li>`)}</ul>`;
};

const describe = ({ host, setBy, setAt }: ShownSlackAddress, { region }: Person): Html =>
  html`<p>${state('good', `Posted through ${host}`)}</p>
<p class="quiet">Set by ${setBy.label} ${momentInText(setAt, region)}. The URL isn't shown again.</p>`;

const actions = (person: Person): Html =>
  html`<div class="row">${postForm(person, {
    action: '/settings/report/slack/test',
    button: 'Send a test message',
    kind: 'plain',
  })}<a class="button danger" href="/settings/report/slack/remove">Stop posting…</a></div>`;

const addressForm = (person: Person, address: ShownSlackAddress | null): Html =>
  postForm(person, {
    action: '/settings/report/slack',
    button: address ? 'Replace URL' : 'Save webhook URL',
    content: field({
      name: 'url',
      label: address ? 'New webhook URL' : 'Incoming webhook URL',
      type: 'url',
      required: true,
      placeholder: 'https://hooks.slack.com/services/…',
      hint: "In Slack, go to Apps → Incoming Webhooks → Add to a channel. Anyone with this URL can post there, so it's stored encrypted.",
    }),
  });

/** The Slack settings. The webhook URL is never shown again after it was saved. */
const slackSection = (person: Person, address: ShownSlackAddress | null): Html =>
  html`<section class="sheet"><h2>Slack</h2>
${address ? html`${describe(address, person)}${actions(person)}` : html`<p>The report can also be posted to a Slack channel every week. Save the channel's webhook URL here. The next report is posted when it's ready. <a href="/settings/alerts">Alerts</a> go to the same channel, within a minute.</p>`}
${addressForm(person, address)}</section>`;

/** Says when the next report comes. Last week's can be overdue, for example if the schedule has just been changed. */
const nextLine = ({ isLate, next }: ReportsDue, { region }: Person): Html =>
  html`<p class="quiet">${isLate && "Last week's report is on its way. "}The next report will be ready ${momentInText(next, region)}.</p>`;

const forAdmins = ({ form, schedule, due, recipients, slack }: ReportSettingsView, person: Person): Html =>
  html`${postForm(person, {
    action: '/settings/report',
    button: 'Save',
    content: html`<section class="sheet"><h2>When</h2>
${nextLine(due, person)}
<div class="field-row">${scheduleFields(person.region, schedule)}</div></section>
<section class="sheet"><h2>Email</h2>
${mailState(recipients)}
${recipientsFields(form)}</section>`,
  })}
${slackSection(person, slack)}`;

const forMembers = ({ recipients }: ReportSettingsView): Html =>
  html`<section class="sheet"><h2>Who gets the report</h2>
${mailState(recipients)}
${recipients.slack && html`<p>${state('good', 'The report is posted to Slack')}</p>`}</section>
<p class="quiet">A team admin can change who gets it.</p>`;

export const reportSettingsPage = (person: Person, view: ReportSettingsView): DashboardPage => ({
  title: 'Weekly report',
  content: html`<p class="lead">Ready every ${scheduleWords(person.team.reportSchedule, person.region)} in your team's time zone (${person.team.timeZone}). It covers the last full week, from Monday to Sunday. <a href="/reports/${view.current}/mail">See what the email looks like</a></p>
${person.role === 'admin' ? forAdmins(view, person) : forMembers(view)}`,
});
