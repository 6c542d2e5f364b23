import type { Page } from '../../../http/index.ts';
import { type Html, html, type ListPage } from '../../../platform/index.ts';
import type { User } from '../../../teams/index.ts';
import { choice, field, postForm } from '../../form.ts';
import { moment } from '../../moment.ts';
import { pageSteps } from '../../page-steps.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';
import { memberName } from './member-name.ts';

export type Invitation = { email: string; name: string; role: string };

export const NO_INVITATION: Invitation = { email: '', name: '', role: 'member' };

export const ROLES = [
  { value: 'member', label: 'Member: can view and connect' },
  { value: 'admin', label: 'Admin: can also change settings' },
] as const;

type MembersView = {
  members: ListPage<User>;
  cursor?: string | undefined;
  invitation: Invitation;
  mails: boolean;
  notice: Html | null;
};

const lastSignedIn = ({ signedInAt, outside }: User, timeZone: string): Html | string => {
  if (signedInAt !== null) return moment(signedInAt, timeZone);
  return outside ? 'through your identity provider' : html`<span class="state warn">not yet</span>`;
};

const row = (person: Person, member: User): Html => {
  const { userId, role, team } = person;
  const called = memberName(member);
  const change = html`<td class="action"><a href="/settings/members/${member.id}">Edit<span class="unseen"> ${called}</span></a></td>`;
  return html`<tr><th scope="row">${called}${member.id === userId ? html` <span class="quiet">(you)</span>` : ''}${
    member.email && member.name ? html`<br><span class="quiet">${member.name}</span>` : ''
  }</th><td data-label="Role">${member.role}</td><td data-label="Added">${moment(member.createdAt, team.timeZone)}</td><td data-label="Last signed in">${lastSignedIn(member, team.timeZone)}</td>${role === 'admin' ? change : ''}</tr>
`;
};

const inviteForm = ({ email, name, role }: Invitation, mails: boolean, csrfToken: string): Html =>
  html`<section class="sheet"><h2>Invite someone</h2>
<p class="lead">${mails ? 'They get a sign-in link by email.' : 'You get a sign-in link to send them.'} It works once and expires in seven days.</p>
${postForm({
  action: '/settings/members',
  csrfToken,
  button: 'Create invitation',
  content: html`${field({ name: 'email', label: 'Email', type: 'email', value: email, required: true })}
${field({ name: 'name', label: 'Name (optional)', value: name })}
${choice({ name: 'role', label: 'Role', value: role, options: ROLES })}`,
})}</section>`;

const WORDS = { first: 'First members', next: 'More members' };

export const membersPage = (person: Person, { members, cursor, invitation, mails, notice }: MembersView): Page => ({
  title: 'Members',
  content: html`${settingsTabs(person, 'members')}${notice}
<div class="scroll" tabindex="0" role="region" aria-label="Team members"><table class="stack">
<thead><tr><th scope="col">Member</th><th scope="col">Role</th><th scope="col">Added</th><th scope="col">Last signed in</th>${
    person.role === 'admin' ? html`<td></td>` : ''
  }</tr></thead>
<tbody>${members.rows.map((member) => row(person, member))}</tbody></table></div>
${pageSteps({ path: '/settings/members', cursor, nextCursor: members.nextCursor, words: WORDS })}
${person.role === 'admin' ? inviteForm(invitation, mails, person.csrfToken) : html`<p class="quiet">A team admin can invite others.</p>`}`,
});
