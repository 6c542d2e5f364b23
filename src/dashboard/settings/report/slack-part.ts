import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { ShownSlackAddress } from '../../../reports/index.ts';
import { field, postForm } from '../../form.ts';
import { moment } from '../../moment.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';

const describe = ({ host, setBy, setAt }: ShownSlackAddress, { timeZone }: Person['team']): Html =>
  html`<p><span class="state good">Posted by way of ${host}</span></p>
<p class="quiet">Set by ${setBy.label}, ${moment(setAt, timeZone)}. The address itself is not shown again.</p>`;

const actions = (csrfToken: string): Html =>
  html`<div class="row">${postForm({
    action: '/settings/report/slack/test',
    csrfToken,
    button: 'Send a test message',
    kind: 'plain',
  })}<a class="button danger" href="/settings/report/slack/remove">Stop posting …</a></div>`;

const addressForm = (address: ShownSlackAddress | null, csrfToken: string): Html =>
  postForm({
    action: '/settings/report/slack',
    csrfToken,
    button: address ? 'Replace the address' : 'Post it there',
    content: field({
      name: 'url',
      label: address ? 'Another address' : 'Address of an incoming webhook',
      type: 'url',
      required: true,
      placeholder: 'https://hooks.slack.com/services/…',
      hint: 'In Slack: Apps → Incoming Webhooks → Add to a channel. Whoever has the address can write there: it is kept sealed.',
    }),
  });

/** The address goes in and never comes out. */
export const slackSection = (person: Person, address: ShownSlackAddress | null): Html =>
  html`<section class="sheet"><h2>In Slack</h2>
${address ? html`${describe(address, person.team)}${actions(person.csrfToken)}` : html`<p>The report can also be posted in a channel.</p>`}
${addressForm(address, person.csrfToken)}</section>`;

export const removeSlackPage = (person: Person): Page => ({
  title: 'Stop posting in Slack?',
  content: html`${settingsTabs(person, 'report')}
<div class="sheet"><p>The address is erased. To post again, somebody must bring it once more.</p>
<div class="row">${postForm({
    action: '/settings/report/slack/remove',
    csrfToken: person.csrfToken,
    button: 'Stop posting',
    kind: 'danger',
  })}<a class="button plain" href="/settings/report">Keep it</a></div></div>`,
});
