import { type Html, html } from '../../platform/index.ts';
import { daysOfWeek } from '../../reports/index.ts';
import { LIVE_SCRIPT } from '../calls/call-scripts.ts';
import { callsTable, MARK_ONE } from '../calls/calls-table.ts';
import { card } from '../display/card.ts';
import { pill } from '../display/pill.ts';
import { csrfField } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { checklistSection, nextStepSection } from './checklist-section.ts';
import { figuresNote, figuresSection, weeksChart } from './figures-section.ts';
import { healthSection } from './health-section.ts';
import { MOST_LATEST, type Overview } from './load-overview.ts';
import { listTasks, tasksSection } from './tasks-section.ts';

/** Explains how to get the first call. */
const noCalls = ({ hasAccounts }: Overview, { role }: Person): Html => {
  if (hasAccounts) return html`<p class="quiet">Call one of your numbers, and you'll see it ring here.</p>`;
  if (role !== 'admin')
    return html`<p class="quiet">Calls show up here as they ring. A team admin can set up telephony.</p>`;
  return html`<p class="quiet">Calls show up here as they ring, and this week's figures above.</p>
<p><a class="button plain" href="/settings/telephony">Set up telephony</a></p>`;
};

/** The latest calls. New calls appear automatically, with JavaScript. */
const callsSection = (overview: Overview, person: Person): Html => {
  const { latest, now, hidesDemo } = overview;
  const isFlush = latest.length > 0 && !hidesDemo;
  const content = html`${latest.length > 0 ? callsTable(latest, person.region) : noCalls(overview, person)}${
    hidesDemo &&
    html`<p class="quiet">Demo calls aren't counted or listed here. See them under <a href="/calls">Calls</a>.</p>`
  }`;
  return html`<div class="latest" data-live="/calls/live" data-since="${now}" data-takes="home" data-most="${MOST_LATEST}">
<p class="unseen" role="status" data-live-said></p>
<form id="${MARK_ONE}" method="post" action="/calls/returned" hidden>${csrfField(person.csrfToken)}</form>
${card({
  title: 'Latest calls',
  beside: html`<span class="live" data-live-state></span>`,
  more: { href: '/calls', words: 'All calls' },
  isFlush,
  content,
})}</div>`;
};

/** The figures of the week. Null for a team that never had a call. */
const figures = (overview: Overview, { region }: Person): Html | null => {
  const { weeks, latest, hidesDemo } = overview;
  if (latest.length === 0 && !hidesDemo && weeks.finished.every(({ glance }) => !glance)) return null;
  const { startsAt, endsAt } = weeks.current;
  return html`<p class="quiet so-far">${weeks.current.counted?.isDemo && html`${pill('none', 'Demo data')} `}${daysOfWeek({ startsAt, endsAt }, region.timeZone)} ${figuresNote(weeks, region)}</p>
${figuresSection(overview)}`;
};

/** Home: the week's figures, tasks, the latest calls, and the connections. */
export const homePage = (person: Person, overview: Overview): DashboardPage => {
  const shown = figures(overview, person);
  const checklist = checklistSection(person, overview);
  const tasks = listTasks(person, overview);
  return {
    title: `This week at ${person.team.name}`,
    scripts: [LIVE_SCRIPT],
    content: html`<div class="home">
${shown}
<div class="halves">
${(tasks.length === 0 && nextStepSection(person, overview)) || tasksSection(tasks)}
${shown ? weeksChart(overview) : checklist}
</div>
${callsSection(overview, person)}
<div class="halves">
${healthSection(overview)}
${shown && checklist}
</div>
<p class="quiet api-note">Everything here is also available through the API: <a href="/settings/tokens">create an access token</a>, then <a href="/docs">try it out</a>.</p>
</div>`,
  };
};
