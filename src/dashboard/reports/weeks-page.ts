import { type Html, html } from '../../platform/index.ts';
import {
  formatCount,
  type ListedWeek,
  type Recipients,
  type ReportsDue,
  titleOf,
  unansweredOf,
} from '../../reports/index.ts';
import { momentInText } from '../display/moment.ts';
import { pill } from '../display/pill.ts';
import { scheduleWords } from '../display/schedule.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';
import { weekState } from './dispatches-section.ts';
import { recipientsLine } from './recipients-line.ts';

type WeeksView = {
  weeks: readonly ListedWeek[];
  /** Where the page of earlier weeks starts. Null if there are no earlier weeks. */
  earlier: string | null;
  before: string | undefined;
  recipients: Recipients;
  due: ReportsDue;
  /** True if the team has only demo calls. */
  isDemo: boolean;
  now: number;
  /** The current week. */
  current: string;
};

const weekRow = (listed: ListedWeek): Html => {
  const { week, revision, timeZone, startsAt, endsAt, predatesTeam, figures, dispatches } = listed;
  const { calls, unreturned } = figures;
  const unanswered = unansweredOf(figures);
  const [name = '', days = ''] = titleOf(week, { startsAt, endsAt }, timeZone).split(/, (.*)/s);
  const sent = weekState(dispatches);
  return html`<tr>
<th scope="row"><a href="/reports/${week}">${name}</a> <span class="under">${days}${revision > 1 && html` · revision ${revision}`}${predatesTeam && ' · before the team was created'}</span> <span class="under below">${sent}</span></th>
<td class="number">${formatCount(calls.inbound.value)}</td>
<td class="number">${unanswered === null ? '–' : formatCount(unanswered.calls)}</td>
<td class="number">${formatCount(unreturned.total)}</td>
<td class="beside">${sent}</td>
</tr>
`;
};

const weeksTable = (weeks: readonly ListedWeek[]): Html => html`<div class="report"><div class="sheet">
<table class="weeks">
<thead><tr><th scope="col">Week</th><th scope="col" class="number">In&shy;bound</th><th scope="col" class="number">Un&shy;answered</th><th scope="col" class="number">To return</th><th scope="col" class="beside">Sent</th></tr></thead>
<tbody>
${weeks.map(weekRow)}</tbody>
</table>
</div></div>`;

/** For a team without reports: says when the first one comes, and how to get it now. */
const emptySection = (person: Person, { due, now }: WeeksView): Html => {
  const first = due.last ?? due.next;
  return html`<div class="empty">
<h2>No reports yet</h2>
<p>${
    first > now
      ? html`The first one will be ready ${momentInText(first, person.region)} (${person.team.timeZone}) and covers the week before.`
      : "Last week's report is on its way. Patchbay checks for missing reports every 15 minutes."
  }</p>
${due.last !== null && person.role === 'admin' && postForm(person, { action: '/reports/run', button: "Create last week's report now" })}
</div>`;
};

export const weeksPage = (person: Person, view: WeeksView): DashboardPage => {
  const { weeks, earlier, before, recipients, due, isDemo, current } = view;
  const { region, team } = person;
  const isFirst = before === undefined;
  const table = weeks.length > 0 ? weeksTable(weeks) : html`<p>There are no earlier weeks.</p>`;
  return {
    title: 'Reports',
    content: html`<p class="lead">A weekly summary, ready every ${scheduleWords(team.reportSchedule, region)}. ${due.isLate && weeks.length > 0 && "Last week's report is on its way. "}The next report will be ready ${momentInText(due.next, region)} (${team.timeZone}). ${recipientsLine('It', recipients)}</p>
${isDemo && html`<p>${pill('none', 'Demo data')} Your team has only demo calls so far. A week's own page shows them. They aren't counted in this list, and no report is sent about them.</p>`}
<p><a href="/reports/${current}">This week so far</a></p>
${isFirst && weeks.length === 0 ? emptySection(person, view) : table}
${(earlier !== null || !isFirst) && html`<nav class="steps" aria-label="More weeks">${!isFirst && html`<a href="/reports">Newest weeks</a>`}${earlier !== null && html`<a href="/reports?before=${earlier}">Earlier weeks</a>`}</nav>`}`,
  };
};
