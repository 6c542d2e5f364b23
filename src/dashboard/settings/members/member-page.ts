import type { Page } from '../../../http/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { Invited, User } from '../../../teams/index.ts';
import { choice, csrfField, field, postForm } from '../../form.ts';
import { moment } from '../../moment.ts';
import type { Person } from '../../person.ts';
import { settingsTabs } from '../settings-tabs.ts';
import { memberName } from './member-name.ts';
import { ROLES } from './members-page.ts';

export type MemberForm = { name: string; role: string };

const newLinkForm = ({ email, name, role }: User, csrfToken: string): Html =>
  html`<section class="sheet"><h2>Invitation</h2>
<p>${email} hasn't signed in yet. If the link was lost, create a new one. The old one will stop working.</p>
<form method="post" action="/settings/members">${csrfField(csrfToken)}
<input type="hidden" name="email" value="${email}"><input type="hidden" name="name" value="${name}"><input type="hidden" name="role" value="${role}">
<button class="plain">Create a new link</button></form></section>`;

const roleField = ({ outside, role }: User, form: MemberForm): Html =>
  outside
    ? html`<p class="field"><span>Role</span><span class="hint">${role}, set by your identity provider. Change it there.</span></p>`
    : choice({ name: 'role', label: 'Role', value: form.role, options: ROLES });

export const memberPage = (person: Person, member: User, form: MemberForm, notice: Html | null): Page => ({
  title: memberName(member),
  content: html`${settingsTabs(person, 'members')}${notice}
<section class="sheet"><h2>Name and role</h2>${postForm({
    action: `/settings/members/${member.id}`,
    csrfToken: person.csrfToken,
    button: 'Save',
    content: html`${field({ name: 'name', label: 'Name', value: form.name })}${roleField(member, form)}`,
  })}</section>
${member.email && member.signedInAt === null && !member.outside ? newLinkForm(member, person.csrfToken) : ''}
<section class="sheet"><h2>Remove</h2>
<p>Removing ${memberName(member)} ends all of their sessions and access tokens. The team's connections stay.</p>
<p><a class="button danger" href="/settings/members/${member.id}/remove">Remove from team…</a></p></section>`,
});

export const removeMemberPage = (person: Person, member: User, notice: Html | null): Page => ({
  title: `Remove ${memberName(member)}?`,
  content: html`${settingsTabs(person, 'members')}${notice}
<div class="sheet"><p>All sessions and access tokens of ${memberName(member)} end immediately. What they connected stays with the team.</p>
<div class="row">${postForm({
    action: `/settings/members/${member.id}/remove`,
    csrfToken: person.csrfToken,
    button: 'Remove from team',
    kind: 'danger',
  })}<a class="button plain" href="/settings/members">Cancel</a></div></div>`,
});

/** The only time the link is shown. */
export const invitationPage = (person: Person, { user, link: { address, expiresAt }, mailed }: Invited): Page => ({
  title: `Invitation for ${memberName(user)}`,
  content: html`${settingsTabs(person, 'members')}
<div class="sheet"><p>${
    mailed
      ? html`A link is on its way to ${user.email}. If it doesn't arrive, send this one privately to ${memberName(user)}.`
      : html`Send this link privately to ${memberName(user)}.`
  } It won't be shown again.</p>
<pre class="copy"><code>${address}</code></pre>
<p class="quiet">It works once, until ${moment(expiresAt, person.team.timeZone)}. Anyone who opens it signs in as ${memberName(user)}.</p>
<p><a href="/settings/members">Back to members</a></p></div>`,
});
