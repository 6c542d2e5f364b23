import { type Html, html } from '../../../platform/index.ts';
import type { Invited, User } from '../../../teams/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { momentInText } from '../../display/moment.ts';
import { choice, field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import type { Person } from '../../person.ts';
import { memberName, ROLES, SOURCES } from './members-page.ts';

type MemberForm = { name: string; role: string };

const newLinkForm = (person: Person, { email, name, role }: User): Html =>
  html`<section class="sheet"><h2>Invitation</h2>
<p>${email} hasn't signed in yet. If the link was lost, create a new one. The old one will stop working.</p>
${postForm(person, {
  action: '/settings/members',
  content: html`<input type="hidden" name="email" value="${email}"><input type="hidden" name="name" value="${name}"><input type="hidden" name="role" value="${role}">`,
  button: 'Create a new link',
  kind: 'plain',
})}</section>`;

const roleField = ({ source, role }: User, form: MemberForm): Html =>
  source === 'patchbay'
    ? choice({ name: 'role', label: 'Role', value: form.role, options: ROLES })
    : html`<p class="field"><span>Role</span><span class="hint">${role}, set by your ${SOURCES[source]}. Change it there.</span></p>`;

export const memberPage = (person: Person, member: User, form: MemberForm): DashboardPage => ({
  title: memberName(member),
  content: html`<section class="sheet"><h2>Name and role</h2>${postForm(person, {
    action: `/settings/members/${member.id}`,
    button: 'Save',
    content: html`${field({ name: 'name', label: 'Name', value: form.name })}${roleField(member, form)}`,
  })}</section>
${member.email && member.signedInAt === null && member.source === 'patchbay' && newLinkForm(person, member)}
<section class="sheet"><h2>Remove</h2>
<p>Removing ${memberName(member)} ends their sessions and revokes their access tokens. The team's connections stay.</p>
<p><a class="button danger" href="/settings/members/${member.id}/remove">Remove from team…</a></p></section>`,
});

/** The only time the link is shown. */
export const invitationPage = ({ region }: Person, { user, link, mailed }: Invited): DashboardPage => {
  const name = memberName(user);
  return {
    title: `Invitation for ${name}`,
    content: html`<div class="sheet"><p>${
      mailed
        ? html`A link is on its way to ${user.email}. If it doesn't arrive, send this one privately to ${name}.`
        : html`Send this link privately to ${name}.`
    } It won't be shown again.</p>
${copyBlock('link', link.address)}
<p class="quiet">It works once, until ${momentInText(link.expiresAt, region)}. Anyone who opens it signs in as ${name}.</p>
<p><a href="/settings/members">Back to members</a></p></div>`,
  };
};
