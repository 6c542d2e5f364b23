import type { FastifyReply } from 'fastify';
import { type Page, sendPage } from '../http/index.ts';
import { type Html, html, PAUSED_ADVICE, type Paused } from '../platform/index.ts';
import { SWITCH_TEAM_PATH } from '../teams/index.ts';
import { momentInText } from './display/moment.ts';
import { csrfField } from './form.ts';
import { FRAME_SCRIPT } from './frame-script.ts';
import type { Person } from './person.ts';

export type DashboardPage = Omit<Page, 'masthead' | 'trail'> & {
  /** A message about what was done, or why it wasn't. */
  notice?: Html | null;
  /** The HTTP status. 200 by default. */
  status?: number;
  /** The pages between the section and this page that can't be derived from the path. */
  under?: readonly MenuEntry[];
};

export type MenuEntry = { path: string; name: string; adminOnly?: boolean };

const SECTIONS: readonly MenuEntry[] = [
  { path: '/', name: 'Home' },
  { path: '/integrations', name: 'Integrations' },
  { path: '/calls', name: 'Calls' },
  { path: '/reports', name: 'Reports' },
  { path: '/agents', name: 'Agents' },
  { path: '/settings', name: 'Settings' },
];

const SETTINGS: readonly { name: string; places: readonly MenuEntry[] }[] = [
  {
    name: 'Team',
    places: [
      { path: '/settings', name: 'General' },
      { path: '/settings/members', name: 'Members' },
      { path: '/settings/telephony', name: 'Telephony', adminOnly: true },
    ],
  },
  {
    name: 'Notifications',
    places: [
      { path: '/settings/report', name: 'Report' },
      { path: '/settings/alerts', name: 'Alerts' },
    ],
  },
  {
    name: 'Developers',
    places: [
      { path: '/settings/tokens', name: 'Access tokens' },
      { path: '/settings/endpoints', name: 'Endpoints' },
    ],
  },
  {
    name: 'Security',
    places: [
      { path: '/settings/sessions', name: 'Sessions' },
      { path: '/settings/audit', name: 'Audit log' },
      { path: '/settings/containment', name: 'Emergency stop', adminOnly: true },
    ],
  },
];
const ALL_SETTINGS = SETTINGS.flatMap(({ places }) => places);

const isWithin = (path: string | null, place: MenuEntry): boolean => path?.startsWith(`${place.path}/`) ?? false;

/** Links to pages. The last page in `all` that is at `path` or above it is marked as the current one. */
const linksTo = (places: readonly MenuEntry[], path: string | null, all = places): Html[] => {
  const current = all.findLast((place) => path === place.path || isWithin(path, place));
  return places.map(
    (place) => html`<a href="${place.path}"${place === current && html` aria-current="page"`}>${place.name}</a>`,
  );
};

/** The breadcrumbs of a page. Null for the first page of a section. */
const trailTo = (path: string, under: readonly MenuEntry[]): Html | null => {
  const above = [...SECTIONS, ...ALL_SETTINGS.slice(1)].filter((place) => isWithin(path, place));
  const isFirst = SECTIONS.some((section) => section.path === path);
  const [home] = SECTIONS;
  const trail = [...above, ...under];
  const shown = trail.length === 0 && home && !isFirst ? [home] : trail;
  return shown.length === 0
    ? null
    : html`<nav class="trail" aria-label="Breadcrumb"><ol>${shown.map((place) => html`<li><a href="${place.path}">${place.name}</a></li>`)}</ol></nav>
`;
};

const teamSwitch = ({ otherTeams, csrfToken }: Person): Html | null =>
  otherTeams.length === 0
    ? null
    : html`<form class="teams" method="post" action="${SWITCH_TEAM_PATH}">${csrfField(csrfToken)}<p>Switch to</p>
${otherTeams.map(
  ({ teamId, teamName, invited }) =>
    html`<button class="plain" name="team" value="${teamId}">${teamName}${invited && ' (invitation)'}</button>`,
)}</form>`;

const MOST_COUNTED = 99;

const bell = (openAlerts: number, path: string): Html => {
  const count = openAlerts > MOST_COUNTED ? `${MOST_COUNTED}+` : String(openAlerts);
  return html`<a class="bell" href="/alerts"${path === '/alerts' && html` aria-current="page"`}><svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 22h4"/></svg><span class="unseen">Alerts${openAlerts === 0 && ', none open'}</span>${openAlerts > 0 && html` <strong>${count}<span class="unseen"> open</span></strong>`}</a>`;
};

const sections = (path: string | null): Html => html`<nav aria-label="Sections">${linksTo(SECTIONS, path)}</nav>`;

/** The menu on error pages. */
export const NAVIGATION = sections(null);

/** The initials of a name: "Acme Dental" → "AD". */
const initialsOf = (name: string): string =>
  (name.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? ['?']).slice(0, 2).join('').toUpperCase();

export const masthead = (person: Person, path: string, openAlerts: number): Html => html`${sections(path)}
${bell(openAlerts, path)}
<details class="who menu"><summary><span class="unseen">Your team and account: </span><span class="team">${person.team.name}</span><span class="initials" aria-hidden="true">${initialsOf(person.team.name)}</span></summary><div>
<p>Signed in as<br><strong>${person.who}</strong></p>
${teamSwitch(person)}
<ul><li><a href="/settings/sessions">Sessions</a></li><li><a href="/settings">Settings</a></li><li><a href="/docs">API docs</a></li></ul>
<form method="post" action="/sign-out">${csrfField(person.csrfToken)}<button class="plain">Sign out</button></form>
</div></details>`;

/** The menu of all settings pages, with only those that this person may open. */
const settingsTabs = ({ role }: Person, path: string): Html => {
  const group = ({ name, places }: (typeof SETTINGS)[number]): Html => {
    const open = places.filter(({ adminOnly }) => role === 'admin' || !adminOnly);
    return html`<div><p>${name}</p><div>${linksTo(open, path, ALL_SETTINGS)}</div></div>\n`;
  };
  return html`<nav class="tabs settings-tabs" aria-label="Settings">${SETTINGS.map(group)}</nav>`;
};

/** A suffix for the title, to tell browser tabs apart: "Settings", and the team's name if there are several teams. */
const placeOf = ({ team, otherTeams }: Person, path: string): string =>
  [path.startsWith('/settings/') && 'Settings', otherTeams.length > 0 && team.name].filter(Boolean).join(' · ');

const pausedBanner = ({ at, reason }: Paused, { region }: Person): Html =>
  html`<div class="notice warn" role="status"><p><strong>This service has been paused</strong> since ${momentInText(at, region)}. ${reason} Everything is shown and calls are answered, but connections aren't refreshed, and no events, alerts, emails, or reports are sent. ${PAUSED_ADVICE}</p></div>`;

/** The person who views the page, its path, and what the frame shows. */
type Frame = { person: Person; path: string; openAlerts: number; paused: Paused | null };

/** Sends a page in its frame. The frame depends on the person and the path. */
export const framePage = (
  reply: FastifyReply,
  { person, path, openAlerts, paused }: Frame,
  page: DashboardPage,
): FastifyReply => {
  const { notice, content, status = 200, scripts = [], under = [], ...rest } = page;
  const tabs = path.startsWith('/settings') && settingsTabs(person, path);
  return sendPage(reply, status, {
    ...rest,
    place: placeOf(person, path),
    trail: trailTo(path, under),
    scripts: [FRAME_SCRIPT, ...scripts],
    masthead: masthead(person, path, openAlerts),
    content: html`${paused && pausedBanner(paused, person)}${tabs}${notice}${content}`,
  });
};
