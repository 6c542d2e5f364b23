import type { Routes } from '../../../http/index.ts';
import { FIRST_PAGE, Type } from '../../../platform/index.ts';
import { actorOf, InvitationBody, MemberChangeBody } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { attempt, problemNotice } from '../../form.ts';
import { doneNotice } from '../../notice.ts';
import { ADMIN_PAGE, PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { showPage } from '../../show-page.ts';
import { checkForm } from '../check-form.ts';
import { ListQuery } from '../list-query.ts';
import { explainInvitation, toInvitation, toMemberChange } from './member-form.ts';
import { invitationPage, memberPage, removeMemberPage } from './member-page.ts';
import { membersPage, NO_INVITATION } from './members-page.ts';

const DONE = { changed: 'Member saved.', removed: 'Member removed.' };

const ById = Type.Object({ id: Type.String() });
const Text = Type.String();

export const memberPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { teams } = dependencies;
    const { mails } = teams.members;

    server.get(
      '/settings/members',
      { schema: { hide: true, querystring: ListQuery }, config: PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const members = await teams.members.list(person.team.id, request.query);
        const notice = doneNotice(DONE, request.query.done);
        const { cursor } = request.query;
        const page = membersPage(person, { members, cursor, invitation: NO_INVITATION, mails, notice });
        return showPage(reply, person, 'settings', page);
      },
    );

    server.post(
      '/settings/members',
      { schema: { hide: true, body: Type.Object({ email: Text, name: Text, role: Text }) }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id: teamId } = person.team;
        const inviting = await attempt(async () => {
          const {
            email,
            name = null,
            role,
          } = checkForm(request, InvitationBody, toInvitation(request.body), explainInvitation);
          return teams.members.invite(teamId, actorOf(request), { email, name, role });
        });
        if (inviting.ok) {
          return showPage(reply, person, 'settings', invitationPage(person, inviting.result));
        }
        const members = await teams.members.list(teamId, FIRST_PAGE);
        const notice = problemNotice(inviting.problem);
        const page = membersPage(person, { members, invitation: request.body, mails, notice });
        return showPage(reply, person, 'settings', page, inviting.problem.status);
      },
    );

    server.get(
      '/settings/members/:id',
      { schema: { hide: true, params: ById }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const member = await teams.members.get(person.team.id, request.params.id);
        const form = { name: member.name ?? '', role: member.role };
        return showPage(reply, person, 'settings', memberPage(person, member, form, null));
      },
    );

    server.post(
      '/settings/members/:id',
      {
        schema: { hide: true, params: ById, body: Type.Object({ name: Text, role: Type.Optional(Text) }) },
        config: ADMIN_PAGE,
      },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const member = await teams.members.get(person.team.id, request.params.id);
        const { name, role = member.role } = request.body;
        const changing = await attempt(async () => {
          const change = checkForm(request, MemberChangeBody, toMemberChange({ name, role }), explainInvitation);
          return teams.members.change(person.team.id, actorOf(request), member.id, change);
        });
        if (changing.ok) return reply.redirect('/settings/members?done=changed', 303);
        const page = memberPage(person, member, { name, role }, problemNotice(changing.problem));
        return showPage(reply, person, 'settings', page, changing.problem.status);
      },
    );

    server.get(
      '/settings/members/:id/remove',
      { schema: { hide: true, params: ById }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const member = await teams.members.get(person.team.id, request.params.id);
        return showPage(reply, person, 'settings', removeMemberPage(person, member, null));
      },
    );

    server.post(
      '/settings/members/:id/remove',
      { schema: { hide: true, params: ById }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const member = await teams.members.get(person.team.id, request.params.id);
        const removing = await attempt(() => teams.members.remove(person.team.id, actorOf(request), member.id));
        if (removing.ok) return reply.redirect('/settings/members?done=removed', 303);
        const page = removeMemberPage(person, member, problemNotice(removing.problem));
        return showPage(reply, person, 'settings', page, removing.problem.status);
      },
    );
  };
