import { type Html, html, PageQuery } from '../../../platform/index.ts';
import { type AuditEvent, listUserNames } from '../../../teams/index.ts';
import { moment, momentInText } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import type { PageRoutes } from '../../pages.ts';
import { pageSteps, table } from '../../parts.ts';
import { memberName } from '../members/members-page.ts';
import { callOf, describeAction, describeActor, describeSubject, type People, recordedAtOf } from './audit-words.ts';

const row = (event: AuditEvent, people: People, region: Region, isAdmin: boolean): Html => {
  const call = callOf(event);
  const recordedAt = recordedAtOf(event);
  return html`<tr><td>${moment(event.at, region)}</td><td>${describeActor(event, people)}</td>
<td>${describeAction(event)}<br><span class="quiet">${describeSubject(event, people)}${recordedAt !== null && html`recorded ${momentInText(recordedAt, region)}`}${call && html` <a href="/calls/${encodeURIComponent(call)}">Open the call</a>`}</span></td>${isAdmin && html`<td data-label="IP address">${event.address ?? '–'}</td>`}</tr>
`;
};

export const auditPageRoutes: PageRoutes = ({ page }, { database, teams }) => {
  page('/settings/audit', { access: 'member', query: PageQuery }, async ({ person: { team, region, role }, query }) => {
    const { cursor } = query;
    const isAdmin = role === 'admin';
    const { rows: events, nextCursor } = await teams.audit.list({ teamId: team.id, role }, query);
    const ids = new Set(events.flatMap(({ actorId, target }) => [actorId, target]).filter((id) => id !== null));
    const users = await listUserNames(database, team.id, [...ids]);
    const people: People = {
      names: new Map(users.map((user) => [user.id, `${memberName(user)}${user.isRemoved ? ' (removed)' : ''}`])),
      operatorId: users.find(({ isOperator }) => isOperator)?.id,
    };
    const entries = table({
      label: 'Audit log',
      kind: 'stack',
      heads: ['When', 'Who', 'What', ...(isAdmin ? ['IP address'] : [])],
      rows: events.map((event) => row(event, people, region, isAdmin)),
    });
    const nothing = html`<div class="empty"><p>${cursor === undefined ? 'No activity yet.' : 'No older entries.'}</p></div>`;
    return {
      title: 'Audit log',
      content: html`<p class="lead">Who did what, newest first. Entries can't be changed.</p>
${events.length > 0 ? entries : nothing}
${pageSteps({ path: '/settings/audit', cursor, nextCursor })}`,
    };
  });
};
