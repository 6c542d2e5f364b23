import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { ShownSlackAddress } from '../../../reports/index.ts';
import { field, postForm } from '../../form.ts';
import { moment } from '../../moment.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';

const describe = ({ host, setBy, setAt }: ShownSlackAddress, { timeZone }: Person['team']): Html =>
  html`<p><span class="state good">Posted through ${host}</span></p>
<p class="quiet">Set by ${setBy.label} on ${moment(setAt, timeZone)}. The URL isn't shown again.</p>`;

const actions = (csrfToken: string): Html =>
  html`<div class="row">${postForm({
    action: '/settings/report/slack/test',
    csrfToken,
    button: 'Send a test message',
    kind: 'plain',
  })}<a class="button danger" href="/settings/report/slack/remove">Stop posting…</a></div>`;

const addressForm = (address: ShownSlackAddress | null, csrfToken: string): Html =>
  postForm({
    action: '/settings/report/slack',
    csrfToken,
    button: address ? 'Replace URL' : 'Post to Slack',
    content: field({
      name: 'url',
      label: address ? 'New webhook URL' : 'Incoming webhook URL',
      type: 'url',
      required: true,
      placeholder: 'https://hooks.slack.com/services/…',
      hint: "In Slack, go to Apps → Incoming Webhooks → Add to a channel. Anyone with this URL can post there, so it's stored encrypted.",
    }),
  });

/** The URL goes in and never comes out. */
export const slackSection = (person: Person, address: ShownSlackAddress | null): Html =>
  html`<section class="sheet"><h2>Slack</h2>
${address ? html`${describe(address, person.team)}${actions(person.csrfToken)}` : html`<p>The report can also be posted to a Slack channel.</p>`}
${addressForm(address, person.csrfToken)}</section>`;

export const removeSlackPage = (person: Person): Page => ({
  title: 'Stop posting to Slack?',
  content: html`${settingsTabs(person, 'report')}
<div class="sheet"><p>The webhook URL is deleted. To post again, you'll have to enter it again.</p>
<div class="row">${postForm({
    action: '/settings/report/slack/remove',
    csrfToken: person.csrfToken,
    button: 'Stop posting',
    kind: 'danger',
  })}<a class="button plain" href="/settings/report">Cancel</a></div></div>`,
});
