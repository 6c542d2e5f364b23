import type { Page } from '../../../http/index.ts';
import { type Html, html, type ListPage } from '../../../platform/index.ts';
import type { Session } from '../../../teams/index.ts';
import { csrfField, postForm } from '../../form.ts';
import { moment } from '../../moment.ts';
import { pageSteps } from '../../page-steps.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';

type SessionsView = {
  sessions: ListPage<Session>;
  cursor: string | undefined;
  currentId: string | undefined;
  notice: Html | null;
};

const endForm = ({ id, createdAt }: Session, { csrfToken, team }: Person): Html =>
  html`<form method="post" action="/settings/sessions/${id}/end">${csrfField(csrfToken)}<button class="plain">End<span class="unseen"> the session from ${moment(createdAt, team.timeZone)}</span></button></form>`;

const row = (person: Person, session: Session, currentId: string | undefined): Html => {
  const { timeZone } = person.team;
  return html`<tr><th scope="row">${moment(session.createdAt, timeZone)}</th><td data-label="Team">${session.team}</td><td data-label="Expires">${moment(session.expiresAt, timeZone)}</td>
<td class="action">${session.id === currentId ? html`<span class="state good">this session</span>` : endForm(session, person)}</td></tr>
`;
};

const endOthers = (csrfToken: string): Html =>
  html`<section class="sheet"><h2>Lost a device?</h2>
<p>This ends every session except this one immediately. Your access tokens keep working. You can revoke them under <a href="/settings/tokens">Access tokens</a>.</p>
${postForm({ action: '/settings/sessions/end-others', csrfToken, button: 'End all other sessions', kind: 'danger' })}</section>`;

const WORDS = { first: 'Newest', next: 'Older' };

export const sessionsPage = (
  person: Person,
  { sessions: { rows, nextCursor }, cursor, currentId, notice }: SessionsView,
): Page => ({
  title: 'Sessions',
  content: html`${settingsTabs(person, 'sessions')}${notice}
<p class="lead">Where you're signed in to Patchbay. You only see your own sessions.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Your sessions"><table class="stack">
<thead><tr><th scope="col">Signed in</th><th scope="col">Team</th><th scope="col">Expires</th><td></td></tr></thead>
<tbody>${rows.map((session) => row(person, session, currentId))}</tbody></table></div>
${pageSteps({ path: '/settings/sessions', cursor, nextCursor, words: WORDS })}
${rows.length > 1 || cursor !== undefined ? endOthers(person.csrfToken) : ''}`,
});
