import { FIRST_PAGE, html, PageQuery, Type } from '../../../platform/index.ts';
import { InvitationBody, MemberChangeBody } from '../../../teams/index.ts';
import { ById, type PageRoutes } from '../../pages.ts';
import { checkForm } from '../check-form.ts';
import { invitationPage, memberPage } from './member-page.ts';
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

const explain = ([field = '']: readonly string[]): string => EXPLAINED[field] ?? "The form couldn't be read.";

export const memberRoutes: PageRoutes = ({ page, form, confirm }, { teams: { members } }) => {
  const { mails } = members;
  const done = { changed: 'Member saved.', removed: 'Member removed.' };

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
      return invitationPage(person, invited);
    },
    async ({ person, body }) => {
      const listed = await members.list(person.team.id, FIRST_PAGE);
      return membersPage(person, { members: listed, invitation: body, mails });
    },
  );

  page('/settings/members/:id', { access: 'admin', params: ById }, async ({ person, params }) => {
    const member = await members.get(person.team.id, params.id);
    return memberPage(person, member, { name: member.name ?? '', role: member.role });
  });

  form(
    '/settings/members/:id',
    { access: 'admin', params: ById, body: MemberForm },
    async ({ person, actor, params, body, request }) => {
      const { id, role } = await members.get(person.team.id, params.id);
      const input = { name: toName(body.name), role: body.role ?? role };
      const change = checkForm(request, MemberChangeBody, input, explain);
      await members.change(person.team.id, actor, id, change);
      return '/settings/members?done=changed';
    },
    async ({ person, params, body }) => {
      const member = await members.get(person.team.id, params.id);
      return memberPage(person, member, { name: body.name, role: body.role ?? member.role });
    },
  );

  confirm(
    '/settings/members/:id/remove',
    { access: 'admin', params: ById },
    async ({ person, params }) => {
      const name = memberName(await members.get(person.team.id, params.id));
      return {
        title: `Remove ${name}?`,
        content: html`<p>${name} is signed out everywhere, and their access tokens stop working immediately. What they connected stays with the team.</p>`,
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
