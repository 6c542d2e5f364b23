import { connectionTitle } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { formatCount, titleOf } from '../../reports/index.ts';
import { callsTable } from '../calls/calls-table.ts';
import type { DashboardPage } from '../frame.ts';
import { connectionState } from '../integrations/connection-story.ts';
import { logo } from '../integrations/logos/logo.ts';
import { sectionHead } from '../parts.ts';
import type { Person } from '../person.ts';
import type { Overview } from './load-overview.ts';
import { listTasks, tasksSection } from './tasks-section.ts';

const connections = ({ connections: connected }: Overview): Html =>
  connected.length === 0
    ? html`<p class="empty">Nothing is connected yet. <a href="/integrations">Choose a provider</a></p>`
    : html`<ul class="plugs">${connected.map(
        ({ provider, connection, name, status, account }) =>
          html`<li>${logo({ id: provider, name })}<div><h3><a href="/integrations/${provider}">${connectionTitle({ name, connection })}</a></h3>
<p>${connectionState(status)}</p><p class="quiet">${account?.label}</p></div></li>
`,
      )}</ul>`;

const calls = ({ latest, hasAccounts, hasDemo }: Overview, { region, role }: Person): Html => {
  if (latest.length > 0) return callsTable(latest, region);
  const next = hasAccounts
    ? html`Call one of your numbers to see it here.`
    : role === 'admin'
      ? html`<a href="/settings/telephony">Set up telephony</a>${hasDemo && html`, or <a href="/calls">play a demo call</a> first`}.`
      : html`A team admin can set up telephony.`;
  return html`<p class="empty">No calls yet. ${next}</p>`;
};

const report = ({ report: latest }: Overview): Html => {
  if (!latest)
    return html`<p class="empty">Your first report will be ready Monday at 8 a.m. <a href="/reports">Reports</a></p>`;
  const { week, startsAt, endsAt, timeZone, figures } = latest;
  const { calls: counted, missedPercent, unreturned } = figures;
  return html`<a class="week" href="/reports/${week}"><span>${titleOf(week, { startsAt, endsAt }, timeZone)}</span>
<span class="quiet">${formatCount(counted.inbound.value)} inbound${missedPercent === null ? '' : `, ${formatCount(missedPercent)}% unanswered`}, ${formatCount(unreturned.total)} to return</span></a>`;
};

/** At a glance: what needs to be done, who called, what is connected, how the week went. */
export const homePage = (person: Person, overview: Overview): DashboardPage => ({
  title: person.team.name,
  content: html`${tasksSection(listTasks(person, overview))}
${sectionHead('Latest calls', '/calls', 'All calls')}
${calls(overview, person)}
${sectionHead('Connected', '/integrations', 'All integrations')}
${connections(overview)}
${sectionHead('Last week', '/reports', 'All reports')}
${report(overview)}
<p class="quiet api-note">Everything here is also available through the API: <a href="/settings/tokens">create an access token</a>, then <a href="/docs">try it out</a>.</p>`,
});
