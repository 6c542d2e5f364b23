import { FIRST_PAGE, html, PageQuery, Type } from '../../../platform/index.ts';
import { InvitationBody, MemberChangeBody } from '../../../teams/index.ts';
import { badNotice } from '../../notice.ts';
import { ByPageId, type PageRoutes } from '../../pages.ts';
import type { Person } from '../../person.ts';
import { checkForm } from '../check-form.ts';
import { linkPage, memberPage } from './member-page.ts';
import { memberName, membersPage, NO_INVITATION } from './members-page.ts';

const Text = Type.String();
const InvitationForm = Type.Object({ email: Text, name: Text, role: Text });
const MemberForm = Type.Object({ name: Text, role: Type.Optional(Text) });

/** An empty field means no name. */
const toName = (text: string): string | null => text.trim() || null;

const EXPLAINED: Readonly<Record<string, string>> = {
  email: 'This is not an email address. Enter one like name@example.com.',
  name: 'A name can have up to 200 characters.',
  role: 'The role must be admin or member.',
};

const SIGNS_IN_AGAIN = html`If they can't sign in anymore, choose Edit next to them to create a new link.`;

const explain = ([field = '']: readonly string[]): string => EXPLAINED[field] ?? "The form couldn't be read.";

export const memberPageRoutes: PageRoutes = ({ page, form, confirm }, { teams: { members } }) => {
  const { mails } = members;
  const done = { changed: 'Member saved.', removed: 'Member removed.' };

  const showMember = async (person: Person, id: string, filled?: { name: string; role?: string }) => {
    const member = await members.get(person.team.id, id);
    const proved = await members.hasProved(person.team.id, member.id);
    const form = { name: filled?.name ?? member.name ?? '', role: filled?.role ?? member.role };
    return memberPage(person, { member, form, proved, mails });
  };

  page('/settings/members', { access: 'member', query: PageQuery, done }, async ({ person, query }) => {
    const listed = await members.list(person.team.id, query);
    return membersPage(person, { members: listed, cursor: query.cursor, invitation: NO_INVITATION, mails });
  });

  form(
    '/settings/members',
    { access: 'admin', body: InvitationForm },
    async ({ person, actor, body, request }) => {
      const name = toName(body.name);
      const input = { email: body.email.trim(), name, role: body.role };
      const { email, role } = checkForm(request, InvitationBody, input, explain);
      const invited = await members.invite(person.team.id, actor, { email, name, role });
      return linkPage(person, { title: `Invitation for ${memberName(invited.user)}`, ...invited });
    },
    async ({ person, body }, { code, message }) => {
      const listed = await members.list(person.team.id, FIRST_PAGE);
      const shown = membersPage(person, { members: listed, invitation: body, mails });
      return code === 'teams.member_exists'
        ? { ...shown, notice: badNotice(html`${message} ${SIGNS_IN_AGAIN}`) }
        : shown;
    },
  );

  page('/settings/members/:id', { access: 'admin', params: ByPageId }, ({ person, params }) =>
    showMember(person, params.id),
  );

  form(
    '/settings/members/:id/link',
    { access: 'admin', params: ByPageId },
    async ({ person, actor, params }) => {
      const made = await members.handLink(person.team.id, actor, params.id);
      return linkPage(person, { title: `Sign-in link for ${memberName(made.user)}`, ...made, mailed: false });
    },
    ({ person, params }) => showMember(person, params.id),
  );

  // This path is in the browser's address bar after a link was created. Opening it leads back to the member.
  page(
    '/settings/members/:id/link',
    { access: 'admin', params: ByPageId },
    ({ params }) => `/settings/members/${params.id}`,
  );

  form(
    '/settings/members/:id',
    { access: 'admin', params: ByPageId, body: MemberForm },
    async ({ person, actor, params, body, request }) => {
      const { id, role } = await members.get(person.team.id, params.id);
      const input = { name: toName(body.name), role: body.role ?? role };
      const change = checkForm(request, MemberChangeBody, input, explain);
      await members.change(person.team.id, actor, id, change);
      return '/settings/members?done=changed';
    },
    ({ person, params, body }) => showMember(person, params.id, body),
  );

  confirm(
    '/settings/members/:id/remove',
    { access: 'admin', params: ByPageId },
    async ({ person, params }) => {
      const member = await members.get(person.team.id, params.id);
      const name = memberName(member);
      const isOneself = member.id === person.userId;
      const others = (maker: string) =>
        html`<p>People who signed in with a link that ${maker} created are signed out, too, and access tokens that they have created since stop working. They can sign in with a new link.</p>`;
      return {
        title: isOneself ? 'Remove yourself from the team?' : `Remove ${name}?`,
        content: isOneself
          ? html`<p>You're signed out everywhere, and your access tokens stop working immediately. What you connected stays with the team.</p>${others('you')}`
          : html`<p>${name} is signed out everywhere, and their access tokens stop working immediately. What they connected stays with the team.</p>${others('they')}`,
        button: 'Remove from team',
        back: '/settings/members',
      };
    },
    async ({ person, actor, params }) => {
      const { id } = await members.get(person.team.id, params.id);
      await members.remove(person.team.id, actor, id);
      return '/settings/members?done=removed';
    },
  );
};
