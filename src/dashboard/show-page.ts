import type { FastifyReply } from 'fastify';
import { type Page, sendPage } from '../http/index.ts';
import { type Html, html } from '../platform/index.ts';
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

const masthead = ({ who, team, csrfToken }: Person, current: Section): Html =>
  html`<nav aria-label="Sections">${SECTIONS.map(
    ({ id, path, name }) => html`<a href="${path}"${id === current ? html` aria-current="page"` : ''}>${name}</a>`,
  )}</nav>
<details class="who"><summary>${team.name}</summary><div>
<p>${who}</p>
<p><a href="/settings/sessions">Sessions</a></p>
<form method="post" action="/sign-out">${csrfField(csrfToken)}<button class="plain">Sign out</button></form>
</div></details>`;

/** A page of the dashboard, in its frame. */
export const showPage = (
  reply: FastifyReply,
  person: Person,
  section: Section,
  page: Omit<Page, 'masthead'>,
  status = 200,
): FastifyReply => sendPage(reply, status, { ...page, masthead: masthead(person, section) });
