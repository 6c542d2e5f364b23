import { type Html, html, type ListPage } from '../../../platform/index.ts';
import type { AccessToken } from '../../../teams/index.ts';
import { moment } from '../../display/moment.ts';
import { choice, field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { pageSteps, state, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { requestsAddress } from '../../requests/request-filter.ts';
import { CONTAINMENT } from '../containment/containment-words.ts';
import { memberName } from '../members/members-page.ts';
import { type RightsFields, rightsFieldset } from './rights-form.ts';
import { rightsLines } from './rights-lines.ts';
import { type ProviderNames, sayRights } from './rights-words.ts';
import { LIFETIMES, type Preset, USUAL_LIFETIME } from './token-form.ts';

type TokensView = RightsFields & {
  tokens: ListPage<AccessToken>;
  cursor?: string | undefined;
  now: number;
  names: ProviderNames;
};

const PATH = '/settings/tokens';

/** The URL of a token in the list. The list may have further pages, and then the URL leads to the first. */
export const tokenAddress = (id: string): string => `${PATH}#token-${id}`;

/** The name of the token's owner. */
export const tokenOwner = ({ userEmail: email, userName: name, userKey: key }: AccessToken): string =>
  memberName({ email, name, key });

/** Leads admins to what a token was used for. */
const requestsLink = ({ id, name }: AccessToken): Html =>
  html`<a href="${requestsAddress({ by: id })}">Requests<span class="unseen"> by ${name}</span></a> · `;

const rightsCell = ({ restriction }: AccessToken, names: ProviderNames): Html => {
  if (!restriction) return html`Everything its owner can do`;
  const rights = sayRights(restriction, names);
  return rights.length === 0 ? html`Nothing` : rightsLines(rights);
};

/** Says that an emergency stop has stopped a token. Leads admins there. */
export const stoppedMark = ({ role }: Pick<Person, 'role'>, { isContained }: AccessToken): Html | false =>
  isContained && state('bad', role === 'admin' ? html`<a href="${CONTAINMENT.path}">Stopped</a>` : 'Stopped');

const expiryCell = (person: Person, token: AccessToken, now: number): Html | false =>
  stoppedMark(person, token) ||
  (token.expiresAt <= now ? state('bad', 'expired') : moment(token.expiresAt, person.region));

const row = (person: Person, token: AccessToken, { now, names }: TokensView): Html => {
  const { region, userId, role } = person;
  return html`<tr id="token-${token.id}"><th scope="row">${token.name}${token.client !== null && html`<span class="under">${token.client}</span>`}</th><td data-label="Can">${rightsCell(token, names)}</td><td data-label="Owner">${token.userId === userId ? 'you' : tokenOwner(token)}</td>
<td data-label="Created">${moment(token.createdAt, region)}</td><td data-label="Last used">${token.usedAt === null ? 'never' : moment(token.usedAt, region)}</td>
<td data-label="Expires">${expiryCell(person, token, now)}</td>
<td class="action">${role === 'admin' && requestsLink(token)}<a href="${PATH}/${token.id}/revoke">Revoke<span class="unseen"> ${token.name}</span></a></td></tr>
`;
};

const list = (person: Person, view: TokensView): Html => {
  const { cursor } = view;
  const { rows } = view.tokens;
  if (rows.length > 0)
    return table({
      label: 'Access tokens',
      kind: 'stack tokens',
      heads: ['Name', 'Can', 'Owner', 'Created', 'Last used', 'Expires', null],
      rows: rows.map((token) => row(person, token, view)),
    });
  return cursor === undefined
    ? html`<div class="empty"><p>No access tokens yet.</p><p class="quiet">Programs that use the API need one. Create one below.</p></div>`
    : html`<div class="empty"><p>No older access tokens.</p></div>`;
};

const presetLink = (preset: Preset, words: string): Html => html`<a href="${PATH}?preset=${preset}#new">${words}</a>`;

/** Links that fill the form in. Those for a provider are only offered to somebody who can choose one. */
const presetLinks = ({ places }: TokensView): Html => {
  const [read, report] = [
    presetLink('read', 'sees calls, reports, and events'),
    presetLink('report', 'sees the weekly report'),
  ];
  const ofProvider = html`${presetLink('provider', 'only reads from a provider')}, ${presetLink('ask', 'asks before it writes to a provider')}`;
  return places && places.length > 0 ? html`${read}, ${ofProvider}, or ${report}` : html`${read}, or ${report}`;
};

export const tokensPage = (person: Person, view: TokensView): DashboardPage => ({
  title: 'Access tokens',
  content: html`${person.role === 'admin' && html`<p class="lead">What tokens asked to send is under <a href="/approvals">Approvals</a>.</p>`}${list(person, view)}
${pageSteps({ path: PATH, cursor: view.cursor, nextCursor: view.tokens.nextCursor })}
<section class="sheet" id="new"><h2>Create an access token</h2>
<p class="lead">It's shown only once. See the <a href="/docs">API docs</a>. For a script or an agent, choose what it needs and nothing else. Fill the form in for a token that ${presetLinks(view)}.</p>
${postForm(person, {
  action: PATH,
  button: 'Create token',
  content: html`${field({ name: 'name', label: 'Name', value: view.form['name'] ?? '', required: true, hint: 'What will use it, so you can recognize it later.' })}
${choice({ name: 'expiresInDays', label: 'Expires after', value: view.form['expiresInDays'] ?? USUAL_LIFETIME, options: LIFETIMES })}
${rightsFieldset(view)}`,
})}</section>`,
});
