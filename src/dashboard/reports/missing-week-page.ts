import { type Html, html } from '../../platform/index.ts';
import { dueAt, spanOf, titleOf, whyMissing } from '../../reports/index.ts';
import { momentInText } from '../display/moment.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import type { Person } from '../person.ts';

/** Explains how to create a report that Patchbay doesn't create automatically. */
const byCommand = ({ role }: Person, week: string): Html =>
  role === 'admin'
    ? html`<p>If you have access to the machine that Patchbay runs on, you can create it there: <code>npm run patchbay -- report run --week ${week}</code></p>`
    : html`<p>An admin of your team can have it created.</p>`;

const dueSoon = (person: Person, week: string, now: number): Html => {
  const at = dueAt(week, person.team);
  return html`<p>${
    at > now
      ? html`It will be ready ${momentInText(at, person.region)} (${person.team.timeZone}).`
      : 'It is on its way. Patchbay checks for missing reports every 15 minutes.'
  }</p>
${person.role === 'admin' && postForm(person, { action: '/reports/run', button: 'Create missing reports now' })}`;
};

/** Explains why a week has no report, and what to do about it. */
export const missingWeekPage = (person: Person, week: string, now: number): DashboardPage => {
  const { team } = person;
  const why = whyMissing(team, week, now);
  return {
    status: 404,
    title: titleOf(week, spanOf(week, team.timeZone), team.timeZone),
    content: html`<p class="lead">There is no report for this week.</p>
${why === 'ahead' && html`<p>The week isn't over yet.</p>`}
${why === 'before_team' && html`<p>Your team was created later, and reports begin with a team's first week.</p>${byCommand(person, week)}`}
${why === 'long_ago' && html`<p>Patchbay was off for a while, and then made only the newest reports.</p>${byCommand(person, week)}`}
${why === 'due' && dueSoon(person, week, now)}
<p><a href="/reports">All reports</a></p>`,
  };
};
