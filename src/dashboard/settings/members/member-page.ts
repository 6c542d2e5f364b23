import { type Html, html } from '../../../platform/index.ts';
import type { Invited, User } from '../../../teams/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { localLinkNotice } from '../../display/local-notice.ts';
import { momentInText } from '../../display/moment.ts';
import { choice, field, postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import type { Person } from '../../person.ts';
import { memberName, ROLES, SOURCES } from './members-page.ts';

type MemberForm = { name: string; role: string };

type MemberView = {
  member: User;
  form: MemberForm;
  /** Whether the member has ever verified an email address. */
  proved: boolean;
  /** Whether sign-in links can be emailed. */
  mails: boolean;
};

const newLinkForm = (person: Person, { email, name, role }: User): Html =>
  html`<section class="sheet"><h2>Invitation</h2>
<p>${email} hasn't signed in yet. If the link was lost, create a new one. The old one will stop working.</p>
${postForm(person, {
  action: '/settings/members',
  content: html`<input type="hidden" name="email" value="${email}"><input type="hidden" name="name" value="${name}"><input type="hidden" name="role" value="${role}">`,
  button: 'Create a new link',
  kind: 'plain',
})}</section>`;

const wayBack = (email: string, mails: boolean): Html =>
  mails
    ? html`<p>If ${email} can't sign in anymore, they can have a new link emailed to them on the <a href="/sign-in">sign-in page</a>.</p>`
    : html`<p>If ${email} can't sign in anymore, run this where Patchbay is installed, and send them the link that it prints:</p>
${copyBlock('command', `npm run patchbay -- user link ${email}`)}
<p class="quiet">You can't create it here, because they signed in with such a link before. It also opens their other teams.</p>`;

const handLinkForm = (person: Person, { id, email }: User): Html =>
  html`<p>If ${email} can't sign in anymore, create a link and send it to them. It works once, for a day. Links they got before stop working. Where they're signed in now, they stay signed in.</p>
<p class="quiet">It opens this team only. Anyone who opens it signs in as ${email}, so it's in the <a href="/settings/audit">audit log</a>, and ${email} sees who made it under Sessions.</p>
${postForm(person, { action: `/settings/members/${id}/link`, button: 'Create a sign-in link', kind: 'plain' })}`;

/** How the member can sign in again. If the member has never used the invitation, offers to replace its link. */
const signInSection = (person: Person, { member, proved, mails }: MemberView): Html | null => {
  const { id, email, source, signedInAt } = member;
  if (!email || source !== 'patchbay' || id === person.userId) return null;
  if (signedInAt === null) return newLinkForm(person, member);
  return html`<section class="sheet"><h2>Signing in</h2>
${proved ? wayBack(email, mails) : handLinkForm(person, member)}</section>`;
};

const roleField = ({ source, role }: User, form: MemberForm): Html =>
  source === 'patchbay'
    ? choice({ name: 'role', label: 'Role', value: form.role, options: ROLES })
    : html`<p class="field"><span>Role</span><span class="hint">${role}, set by your ${SOURCES[source]}. Change it there.</span></p>`;

/** How to change the email address. Only the operator can, because the new address can't be verified here. */
const emailSection = ({ email, source }: User): Html | false =>
  source === 'patchbay' &&
  email !== null &&
  html`<section class="sheet"><h2>Email address</h2>
<p>To change ${email}, run this where Patchbay is installed, with the new address at the end:</p>
${copyBlock('command', `npm run patchbay -- user email ${email} new@example.com`)}</section>`;

const removeWords = (person: Person, member: User): string =>
  member.id === person.userId
    ? "Removing yourself signs you out everywhere and revokes your access tokens. It also signs out people who signed in with a link that you created. The team's connections stay."
    : `Removing ${memberName(member)} ends their sessions and revokes their access tokens. It also signs out people who signed in with a link that they created. The team's connections stay.`;

export const memberPage = (person: Person, view: MemberView): DashboardPage => {
  const { member, form } = view;
  return {
    title: memberName(member),
    content: html`<section class="sheet"><h2>Name and role</h2>${postForm(person, {
      action: `/settings/members/${member.id}`,
      button: 'Save',
      content: html`${field({ name: 'name', label: 'Name', value: form.name })}${roleField(member, form)}`,
    })}</section>
${signInSection(person, view)}
${emailSection(member)}
<section class="sheet"><h2>Remove</h2>
<p>${removeWords(person, member)}</p>
<p><a class="button danger" href="/settings/members/${member.id}/remove">Remove from team…</a></p></section>`,
  };
};

type ShownLink = Omit<Invited, 'mailed'> & {
  title: string;
  /** True if an email with another link is on its way. */
  mailed: boolean;
};

/** Shows the link, for the only time. */
export const linkPage = ({ region }: Person, { title, user, link, mailed }: ShownLink): DashboardPage => {
  const name = memberName(user);
  return {
    title,
    content: html`${localLinkNotice(link.address)}<div class="sheet"><p>${
      mailed
        ? html`A link is on its way to ${user.email}. If it doesn't arrive, send this one privately to ${name}.`
        : html`Send this link privately to ${name}.`
    } It won't be shown again.</p>
<div class="link-once">${copyBlock('link', link.address)}</div>
<p class="quiet">It works once, until ${momentInText(link.expiresAt, region)}. Anyone who opens it signs in as ${name}.</p>
<p><a href="/settings/members">Back to members</a></p></div>`,
  };
};
