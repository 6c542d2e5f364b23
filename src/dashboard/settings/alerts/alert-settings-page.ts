import { type AlertPlace, type AlertSettings, CHOSEN_KINDS, type ChosenKind, PLACES } from '../../../events/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { Recipients } from '../../../reports/index.ts';
import { mailMissing } from '../../display/service-settings.ts';
import { postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { state, table } from '../../parts.ts';
import type { Person } from '../../person.ts';

type AlertSettingsView = { settings: AlertSettings; recipients: Recipients };

const KINDS: Readonly<Record<ChosenKind, string>> = {
  reconnect: 'A connection needs to be reconnected',
  voicemail: 'A voicemail arrived',
  missed: 'A call was missed during business hours',
  endpoint: 'An event endpoint was deactivated',
  approval: 'A restricted token asks for an approval',
};

const PLACE_NAMES: Readonly<Record<AlertPlace, string>> = {
  pages: 'On these pages',
  mail: 'By email',
  slack: 'In Slack',
};

/** The name of a checkbox in the form. */
export const boxOf = (kind: ChosenKind, place: AlertPlace): string => `${kind}-${place}`;

const boxCell = (settings: AlertSettings, kind: ChosenKind, place: AlertPlace): Html =>
  html`<td><label class="box"><input type="checkbox" name="${boxOf(kind, place)}" value="on"${settings[kind][place] && html` checked`}><span class="unseen">${KINDS[kind]}, ${PLACE_NAMES[place].toLowerCase()}</span></label></td>`;

const wordsCell = (settings: AlertSettings, kind: ChosenKind, place: AlertPlace): Html =>
  html`<td>${settings[kind][place] ? 'On' : 'Off'}</td>`;

const hintOf = (kind: ChosenKind, { team }: Person): Html | false =>
  kind === 'missed' &&
  html`<br><span class="hint">${
    team.businessHours
      ? "What counts is when the call came in, in your team's time zone."
      : html`Your team has no <a href="/settings">business hours</a>, so every missed call counts.`
  }</span>`;

const settingsTable = (person: Person, settings: AlertSettings, cell: typeof boxCell): Html =>
  table({
    label: 'What to be told about',
    kind: 'alert-settings',
    heads: ['Tell us when', ...PLACES.map((place) => PLACE_NAMES[place])],
    rows: CHOSEN_KINDS.map(
      (kind) =>
        html`<tr><th scope="row">${KINDS[kind]}${hintOf(kind, person)}</th>${PLACES.map((place) => cell(settings, kind, place))}</tr>
`,
    ),
  });

const mailState = ({ sendsMail }: Recipients): Html =>
  sendsMail
    ? html`<p>${state('good', "Email goes to your team's admins")}</p>
<p class="quiet">An admin who was invited gets it after signing in with a link from their own mailbox.</p>`
    : mailMissing();

const slackState = ({ slack }: Recipients, { role }: Person): Html =>
  slack
    ? html`<p>${state('good', 'Slack messages go to the channel of the weekly report')}</p>`
    : html`<p>${state('warn', html`Slack isn't set up`)}</p>
<p class="quiet">${role === 'admin' ? 'Set' : 'An admin can set'} the channel under <a href="/settings/report">Report</a>.</p>`;

export const alertSettingsPage = (person: Person, { settings, recipients }: AlertSettingsView): DashboardPage => ({
  title: 'Alerts',
  content: html`<p class="lead">Patchbay tells your team within a minute when something needs attention, once, and once more when a problem is resolved. On these pages means <a href="/alerts">behind the bell</a>, until it's resolved. What goes out by email or in Slack is listed there, too.</p>
<section class="sheet"><h2>What to be told about</h2>
${
  person.role === 'admin'
    ? postForm(person, {
        action: '/settings/alerts',
        button: 'Save',
        content: settingsTable(person, settings, boxCell),
      })
    : html`${settingsTable(person, settings, wordsCell)}<p class="quiet">A team admin can change this.</p>`
}</section>
<section class="sheet"><h2>Where it goes</h2>
${mailState(recipients)}
${slackState(recipients, person)}</section>`,
});
