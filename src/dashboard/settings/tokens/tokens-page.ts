import type { Page } from '../../../http/index.ts';
import { type Html, html, type ListPage } from '../../../platform/index.ts';
import { type AccessToken, TOKEN_DAYS } from '../../../teams/index.ts';
import { choice, field, postForm } from '../../form.ts';
import { moment } from '../../moment.ts';
import { pageSteps } from '../../page-steps.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';

export type TokenForm = { name: string; expiresInDays: string };

export const NEW_TOKEN: TokenForm = { name: '', expiresInDays: String(TOKEN_DAYS.fallback) };

type TokensView = {
  tokens: ListPage<AccessToken>;
  cursor?: string | undefined;
  now: number;
  form: TokenForm;
  notice: Html | null;
};

const LIFETIMES = [7, 30, TOKEN_DAYS.fallback, TOKEN_DAYS.most].map((days) => ({
  value: String(days),
  label: days === TOKEN_DAYS.most ? '1 year' : `${days} days`,
}));

const row = ({ team, userId }: Person, token: AccessToken, now: number): Html =>
  html`<tr><th scope="row">${token.name}</th><td data-label="Owner">${token.userId === userId ? 'you' : (token.userEmail ?? 'a member')}</td>
<td data-label="Created">${moment(token.createdAt, team.timeZone)}</td><td data-label="Last used">${token.usedAt === null ? 'never' : moment(token.usedAt, team.timeZone)}</td>
<td data-label="Expires">${token.expiresAt <= now ? html`<span class="state bad">expired</span>` : moment(token.expiresAt, team.timeZone)}</td>
<td class="action"><a href="/settings/tokens/${token.id}/revoke">Revoke<span class="unseen"> ${token.name}</span></a></td></tr>
`;

const WORDS = { first: 'Newest', next: 'Older' };

const empty = (cursor: string | undefined): Html =>
  cursor === undefined
    ? html`<div class="empty"><p>No access tokens yet.</p><p class="quiet">Programs that use the API need one. Create it below.</p></div>`
    : html`<div class="empty"><p>There is nothing older.</p></div>`;

const list = (person: Person, { tokens: { rows, nextCursor }, cursor, now }: TokensView): Html => html`${
  rows.length === 0
    ? empty(cursor)
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Access tokens"><table class="stack">
<thead><tr><th scope="col">Name</th><th scope="col">Owner</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Expires</th><td></td></tr></thead>
<tbody>${rows.map((token) => row(person, token, now))}</tbody></table></div>`
}
${pageSteps({ path: '/settings/tokens', cursor, nextCursor, words: WORDS })}`;

export const tokensPage = (person: Person, view: TokensView): Page => ({
  title: 'Access tokens',
  content: html`${settingsTabs(person, 'tokens')}${view.notice}
${list(person, view)}
<section class="sheet"><h2>Create an access token</h2>
<p class="lead">It has the same permissions as you and is shown only once. See the <a href="/docs">API docs</a>.</p>
${postForm({
  action: '/settings/tokens',
  csrfToken: person.csrfToken,
  button: 'Create token',
  content: html`${field({ name: 'name', label: 'Name', value: view.form.name, required: true, hint: 'What will use it, so you can recognize it later.' })}
${choice({ name: 'expiresInDays', label: 'Expires after', value: view.form.expiresInDays, options: LIFETIMES })}`,
})}</section>`,
});
