import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { AuditEvent } from '../../../teams/index.ts';
import { moment } from '../../moment.ts';
import { pageSteps } from '../../page-steps.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';
import { describeAction, describeActor, describeSubject } from './audit-words.ts';

export type AuditView = {
  events: readonly AuditEvent[];
  /** The members, by their ids. */
  names: ReadonlyMap<string, string>;
  cursor: string | undefined;
  nextCursor: string | null;
};

const row = ({ team }: Person, event: AuditEvent, names: AuditView['names']): Html =>
  html`<tr><td>${moment(event.at, team.timeZone)}</td><td>${describeActor(event, names)}</td>
<td>${describeAction(event)}<br><span class="quiet">${describeSubject(event, names)}</span></td><td data-label="IP address">${event.address ?? '–'}</td></tr>
`;

const WORDS = { first: 'Newest', next: 'Older' };

export const auditPage = (person: Person, view: AuditView): Page => ({
  title: 'Audit log',
  content: html`${settingsTabs(person, 'audit')}
<p class="lead">Who did what, newest first. Entries can't be changed.</p>
${
  view.events.length === 0
    ? html`<div class="empty"><p>${view.cursor === undefined ? 'No activity yet.' : 'There is nothing older.'}</p></div>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Audit log"><table class="stack">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">IP address</th></tr></thead>
<tbody>${view.events.map((event) => row(person, event, view.names))}</tbody></table></div>`
}
${pageSteps({ path: '/settings/audit', words: WORDS, ...view })}`,
});
