import { type Html, html, type ListPage } from '../../../platform/index.ts';
import { type AccessToken, type MadeToken, TOKEN_DAYS } from '../../../teams/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { moment, momentInText } from '../../display/moment.ts';
import { choice, field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { pageSteps, state, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { requestsAddress } from '../../requests/request-filter.ts';
import { memberName } from '../members/members-page.ts';
import { type Place, rightsFieldset, type TokenForm } from './rights-form.ts';
import { type ProviderNames, sayRights } from './rights-words.ts';

type TokensView = {
  tokens: ListPage<AccessToken>;
  cursor?: string | undefined;
  now: number;
  form: TokenForm;
  /** The team's connections. Null for a member. */
  places: readonly Place[] | null;
  names: ProviderNames;
};

const LIFETIMES = [7, 30, TOKEN_DAYS.fallback, TOKEN_DAYS.most].map((days) => ({
  value: String(days),
  label: days === TOKEN_DAYS.most ? '1 year' : `${days} days`,
}));

/** The name of the token's owner. */
export const tokenOwner = ({ userEmail: email, userName: name, userKey: key }: AccessToken): string =>
  memberName({ email, name, key });

/** Leads admins to what a token was used for. */
const requestsLink = ({ id, name }: AccessToken): Html =>
  html`<a href="${requestsAddress({ by: id })}">Requests<span class="unseen"> by ${name}</span></a> · `;

const rightsList = ({ restriction }: Pick<AccessToken, 'restriction'>, names: ProviderNames): Html => {
  if (!restriction) return html`Everything its owner can do`;
  const lines = sayRights(restriction, names);
  if (lines.length === 0) return html`Nothing`;
  return html`<span class="rights-lines">${lines.map((line) => html`<span>${line}</span>`)}</span>`;
};

const row = ({ region, userId, role }: Person, token: AccessToken, { now, names }: TokensView): Html =>
  html`<tr><th scope="row">${token.name}</th><td data-label="Can">${rightsList(token, names)}</td><td data-label="Owner">${token.userId === userId ? 'you' : tokenOwner(token)}</td>
<td data-label="Created">${moment(token.createdAt, region)}</td><td data-label="Last used">${token.usedAt === null ? 'never' : moment(token.usedAt, region)}</td>
<td data-label="Expires">${token.expiresAt <= now ? state('bad', 'expired') : moment(token.expiresAt, region)}</td>
<td class="action">${role === 'admin' && requestsLink(token)}<a href="/settings/tokens/${token.id}/revoke">Revoke<span class="unseen"> ${token.name}</span></a></td></tr>
`;

const list = (person: Person, view: TokensView): Html => {
  const { cursor } = view;
  const { rows } = view.tokens;
  if (rows.length > 0)
    return table({
      label: 'Access tokens',
      kind: 'stack',
      heads: ['Name', 'Can', 'Owner', 'Created', 'Last used', 'Expires', null],
      rows: rows.map((token) => row(person, token, view)),
    });
  return cursor === undefined
    ? html`<div class="empty"><p>No access tokens yet.</p><p class="quiet">Programs that use the API need one. Create one below.</p></div>`
    : html`<div class="empty"><p>No older access tokens.</p></div>`;
};

export const tokensPage = (person: Person, view: TokensView): DashboardPage => ({
  title: 'Access tokens',
  content: html`${person.role === 'admin' && html`<p class="lead">What tokens asked to send is under <a href="/approvals">Approvals</a>.</p>`}${list(person, view)}
${pageSteps({ path: '/settings/tokens', cursor: view.cursor, nextCursor: view.tokens.nextCursor })}
<section class="sheet" id="new"><h2>Create an access token</h2>
<p class="lead">It's shown only once. See the <a href="/docs">API docs</a>. For a script or an agent, choose what it needs and nothing else: <a href="/settings/tokens?preset=read#new">only reading</a>, <a href="/settings/tokens?preset=provider#new">one provider</a>, <a href="/settings/tokens?preset=ask#new">one provider, and asking before it writes</a>, or <a href="/settings/tokens?preset=report#new">the weekly report</a>.</p>
${postForm(person, {
  action: '/settings/tokens',
  button: 'Create token',
  content: html`${field({ name: 'name', label: 'Name', value: view.form['name'] ?? '', required: true, hint: 'What will use it, so you can recognize it later.' })}
${choice({ name: 'expiresInDays', label: 'Expires after', value: view.form['expiresInDays'] ?? String(TOKEN_DAYS.fallback), options: LIFETIMES })}
${rightsFieldset(view.form, view.places)}`,
})}</section>`,
});

/** Shows the token, for the only time, with a command that works as is. */
export const tokenPage = ({ region }: Person, { name, token, expiresAt }: MadeToken, url: string): DashboardPage => ({
  title: 'Your access token',
  content: html`<div class="sheet"><p>“${name}” works until ${momentInText(expiresAt, region)}. Copy it now. It won't be shown again.</p>
${copyBlock('token', token)}
<p>Try it in a terminal:</p>
${copyBlock('command', html`curl -H 'Authorization: Bearer ${token}' ${url}/api/team`)}
<p><a href="/settings/tokens">Back to access tokens</a> · <a href="/docs">Browse the API</a></p></div>`,
});
