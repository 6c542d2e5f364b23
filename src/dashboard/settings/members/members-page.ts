import { type Html, html, type ListPage } from '../../../platform/index.ts';
import type { User } from '../../../teams/index.ts';
import { moment } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import { choice, field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { pageSteps, state, table } from '../../parts.ts';
import type { Person } from '../../person.ts';

type Invitation = { email: string; name: string; role: string };

export const NO_INVITATION: Invitation = { email: '', name: '', role: 'member' };

export const ROLES = [
  { value: 'member', label: 'Member: can view and connect' },
  { value: 'admin', label: 'Admin: can also change settings' },
] as const;

/** A member's name on pages. Members from an identity provider may have no email address. */
export const memberName = ({ email, name, key }: Pick<User, 'email' | 'name' | 'key'>): string =>
  email ?? name ?? key ?? 'a member';

type MembersView = { members: ListPage<User>; cursor?: string | undefined; invitation: Invitation; mails: boolean };

/** Names of the sources of members that Patchbay didn't create. Used after "your". */
export const SOURCES = { identity_provider: 'identity provider', operator: 'product' } as const;

const lastSignedIn = ({ signedInAt, source }: User, region: Region): Html | string => {
  if (signedInAt !== null) return moment(signedInAt, region);
  return source === 'patchbay' ? state('warn', 'not yet') : `through your ${SOURCES[source]}`;
};

const row = (person: Person, member: User): Html => {
  const { userId, role, region } = person;
  const called = memberName(member);
  const more = [member.name, member.key].filter((words) => words !== null && words !== called);
  return html`<tr><th scope="row">${called}${member.id === userId && html` <span class="quiet">(you)</span>`}${
    more.length > 0 && html`<br><span class="quiet">${[...new Set(more)].join(' · ')}</span>`
  }</th><td data-label="Role">${member.role}</td><td data-label="Added">${moment(member.createdAt, region)}</td><td data-label="Last signed in">${lastSignedIn(member, region)}</td>${role === 'admin' && html`<td class="action"><a href="/settings/members/${member.id}">Edit<span class="unseen"> ${called}</span></a></td>`}</tr>
`;
};

const inviteForm = (person: Person, { email, name, role }: Invitation, mails: boolean): Html =>
  html`<section class="sheet"><h2>Invite someone</h2>
<p class="lead">${mails ? 'They get a sign-in link by email.' : 'You get a sign-in link to send them.'} It works once and expires in seven days.</p>
${postForm(person, {
  action: '/settings/members',
  button: 'Create invitation',
  content: html`${field({ name: 'email', label: 'Email', type: 'email', value: email, required: true })}
${field({ name: 'name', label: 'Name (optional)', value: name })}
${choice({ name: 'role', label: 'Role', value: role, options: ROLES })}`,
})}</section>`;

const WORDS = { first: 'First members', next: 'More members' };

export const membersPage = (person: Person, { members, cursor, invitation, mails }: MembersView): DashboardPage => ({
  title: 'Members',
  content: html`${table({
    label: 'Team members',
    kind: 'stack',
    heads: ['Member', 'Role', 'Added', 'Last signed in', person.role === 'admin' && null],
    rows: members.rows.map((member) => row(person, member)),
  })}
${pageSteps({ path: '/settings/members', cursor, nextCursor: members.nextCursor, words: WORDS })}
${person.role === 'admin' ? inviteForm(person, invitation, mails) : html`<p class="quiet">A team admin can invite others.</p>`}`,
});
