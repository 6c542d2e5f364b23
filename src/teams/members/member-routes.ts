import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { User } from '../records/user-store.ts';
import { addTeamList } from '../team/add-team-list.ts';
import type { Members } from './members.ts';

const Role = Type.Union([Type.Literal('admin'), Type.Literal('member')]);
const Name = Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()]);
const Time = Type.String({ format: 'date-time' });
const ById = Type.Object({ id: Type.String() });

export const InvitationBody = Type.Object(
  {
    email: Type.String({ format: 'email', maxLength: 254 }),
    name: Type.Optional(Name),
    role: Type.Optional(
      Type.Union(Role.anyOf, { description: 'Default: `member`, or their current role if they were invited before' }),
    ),
  },
  { additionalProperties: false },
);

export const MemberChangeBody = Type.Object(
  { name: Type.Optional(Name), role: Type.Optional(Role) },
  { additionalProperties: false },
);

const MemberView = Type.Object(
  {
    id: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()]),
    role: Role,
    key: Type.Union([Type.String(), Type.Null()], { description: "Your product's key of the user, if it named them" }),
    source: Type.Union([Type.Literal('patchbay'), Type.Literal('identity_provider'), Type.Literal('operator')]),
    createdAt: Time,
    signedInAt: Type.Union([Time, Type.Null()]),
  },
  { title: 'Member' },
);

const InvitedView = Type.Object(
  {
    member: MemberView,
    signInLink: Type.String(),
    expiresAt: Time,
    mailed: Type.Boolean({
      description: 'Whether an email with a separate link was queued. The mail server may still reject it later.',
    }),
  },
  { title: 'Invitation' },
);

const toMemberView = ({ teamId: _, createdAt, signedInAt, ...user }: User) => ({
  ...user,
  createdAt: toIso(createdAt),
  signedInAt: toIsoOrNull(signedInAt),
});

const forAdmins = routeOptions('admin', 'team');

export const memberRoutes =
  (members: Members): Routes =>
  (server) => {
    addTeamList(server, '/api/members', {
      summary: "List the team's members",
      name: 'members',
      view: MemberView,
      read: ({ teamId }, query) => members.list(teamId, query),
      toView: toMemberView,
    });

    server.post(
      '/api/members',
      forAdmins({
        summary: 'Invite a member by link',
        description:
          'The link signs the new member in. It works once, expires in seven days, and is only shown here. If a mail server is set up, another link is queued to be emailed to them (`mailed`). Otherwise, send this one yourself. Inviting them again before they sign in creates a new link, and older ones stop working.',
        body: InvitationBody,
        response: { 201: InvitedView },
      }),
      async (request, reply) => {
        const { email, name = null, role } = request.body;
        const { teamId } = callerOf(request);
        const { user, link, mailed } = await members.invite(teamId, actorOf(request), { email, name, role });
        const { address: signInLink, expiresAt } = link;
        return reply.code(201).send({ member: toMemberView(user), signInLink, expiresAt: toIso(expiresAt), mailed });
      },
    );

    server.patch(
      '/api/members/:id',
      forAdmins({
        summary: "Change a member's role or name",
        description:
          'If an admin becomes a member, this ends the sessions of people who signed in with a link that the admin created, and the access tokens that were created in them.',
        params: ById,
        body: MemberChangeBody,
        response: { 200: Type.Object({ member: MemberView }) },
      }),
      async (request) => {
        const { teamId } = callerOf(request);
        const changed = await members.change(teamId, actorOf(request), request.params.id, request.body);
        return { member: toMemberView(changed) };
      },
    );

    server.delete(
      '/api/members/:id',
      forAdmins({
        summary: 'Remove a member',
        description:
          "Ends the member's sessions and access tokens, and those of people who signed in with a link that the member created. The team keeps its connections.",
        params: ById,
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        await members.remove(callerOf(request).teamId, actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
