import type { FastifyReply } from 'fastify';
import { type Page, sendPage } from '../http/index.ts';
import { type Html, html } from '../platform/index.ts';
import { SWITCH_TEAM_PATH } from '../teams/index.ts';
import { csrfField } from './form.ts';
import type { Person } from './person.ts';

const SECTIONS = [
  { id: 'home', path: '/', name: 'Home' },
  { id: 'integrations', path: '/integrations', name: 'Integrations' },
  { id: 'calls', path: '/calls', name: 'Calls' },
  { id: 'reports', path: '/reports', name: 'Reports' },
  { id: 'settings', path: '/settings', name: 'Settings' },
] as const;

export type Section = (typeof SECTIONS)[number]['id'];

const teamSwitch = ({ otherTeams, csrfToken }: Person): Html | string =>
  otherTeams.length === 0
    ? ''
    : html`<form class="teams" method="post" action="${SWITCH_TEAM_PATH}">${csrfField(csrfToken)}<p>Switch to</p>
${otherTeams.map(
  ({ teamId, teamName, invited }) =>
    html`<button class="plain" name="team" value="${teamId}">${teamName}${invited ? ' (invitation)' : ''}</button>`,
)}</form>`;

const masthead = (person: Person, current: Section): Html => {
  const { who, team, csrfToken } = person;
  return html`<nav aria-label="Sections">${SECTIONS.map(
    ({ id, path, name }) => html`<a href="${path}"${id === current ? html` aria-current="page"` : ''}>${name}</a>`,
  )}</nav>
<details class="who"><summary>${team.name}</summary><div>
<p>${who}</p>
${teamSwitch(person)}
<p><a href="/settings/sessions">Sessions</a></p>
<form method="post" action="/sign-out">${csrfField(csrfToken)}<button class="plain">Sign out</button></form>
</div></details>`;
};

/** A page of the dashboard, in its frame. */
export const showPage = (
  reply: FastifyReply,
  person: Person,
  section: Section,
  page: Omit<Page, 'masthead'>,
  status = 200,
): FastifyReply => sendPage(reply, status, { ...page, masthead: masthead(person, section) });
