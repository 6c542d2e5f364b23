import { type Html, html, type ListPage } from '../../../platform/index.ts';
import type { AuditEvent } from '../../../teams/index.ts';
import { moment, momentInText } from '../../display/moment.ts';
import type { DashboardPage } from '../../frame.ts';
import { pageSteps, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { auditAddress, type EnteredAuditFilter, isFiltered } from './audit-filter.ts';
import {
  approvalOf,
  callOf,
  describeAction,
  describeActor,
  describeSubject,
  type People,
  recordedAtOf,
} from './audit-words.ts';

type AuditView = {
  entered: EnteredAuditFilter;
  /** Null if the filter was refused. */
  listed: ListPage<AuditEvent> | null;
  people: People;
  form: Html;
};

/** The actor, with a link to the entries about everything that the actor did. */
const actor = (event: AuditEvent, { entered, people }: AuditView): Html | string => {
  const words = describeActor(event, people);
  const who = event.actor === 'user' ? event.actorId : event.actor;
  return who === null || who === entered.who
    ? words
    : html`<a href="${auditAddress({ ...entered, who })}">${words}</a>`;
};

const row = (event: AuditEvent, view: AuditView, { region, role }: Person): Html => {
  const call = callOf(event);
  const approval = role === 'admin' ? approvalOf(event) : null;
  const recordedAt = recordedAtOf(event);
  return html`<tr><td>${moment(event.at, region)}</td><td>${actor(event, view)}</td>
<td>${describeAction(event)}<br><span class="quiet">${describeSubject(event, view.people)}${recordedAt !== null && html`recorded ${momentInText(recordedAt, region)}`}${call && html` <a href="/calls/${encodeURIComponent(call)}">Open the call</a>`}${approval && html` <a href="/approvals/${encodeURIComponent(approval)}">Open the request</a>`}</span></td>${role === 'admin' && html`<td data-label="IP address">${event.address ?? '–'}</td>`}</tr>
`;
};

const empty = (entered: EnteredAuditFilter, nextCursor: string | null): Html => {
  const isLater = entered.cursor !== undefined;
  if (!isFiltered(entered)) return html`<p>${isLater ? 'No older entries.' : 'No activity yet.'}</p>`;
  // A page ends early if it had to look at very many entries.
  if (nextCursor !== null) return html`<p>Nothing found so far. There are older entries.</p>`;
  return html`<p>${isLater ? 'No older entries match.' : 'No entries match.'} <a href="/settings/audit">Show all entries</a></p>`;
};

const list = (person: Person, view: AuditView, { rows, nextCursor }: ListPage<AuditEvent>): Html => {
  const { entered } = view;
  const entries = table({
    label: 'Audit log',
    kind: 'stack',
    heads: ['When', 'Who', 'What', person.role === 'admin' && 'IP address'],
    rows: rows.map((event) => row(event, view, person)),
  });
  return html`${rows.length > 0 ? entries : html`<div class="empty">${empty(entered, nextCursor)}</div>`}
${pageSteps({ path: auditAddress(entered), cursor: entered.cursor, nextCursor })}`;
};

export const auditPage = (person: Person, view: AuditView): DashboardPage => ({
  title: 'Audit log',
  content: html`<p class="lead">Who did what, newest first. Entries can't be changed.</p>
${view.form}
${view.listed && list(person, view, view.listed)}`,
});
