import { callerOf, type Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import type { InviteByMail } from '../links/invite-by-mail.ts';
import { actorOf } from '../records/record-audit.ts';
import type { User } from '../records/user-store.ts';
import { listMembers } from './list-members.ts';
import { changeMember, inviteMember, type MemberDependencies, removeMember } from './members.ts';

const Role = Type.Union([Type.Literal('admin'), Type.Literal('member')]);
const Name = Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()]);
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

const Member = Type.Object({
  id: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
  name: Type.Union([Type.String(), Type.Null()]),
  role: Role,
  source: Type.Union([Type.Literal('patchbay'), Type.Literal('identity_provider')]),
  createdAt: Type.String({ format: 'date-time' }),
  signedInAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

const toMember = ({ id, email, name, role, outside, createdAt, signedInAt }: User) => ({
  id,
  email,
  name,
  role,
  source: outside ? ('identity_provider' as const) : ('patchbay' as const),
  createdAt: toIso(createdAt),
  signedInAt: toIsoOrNull(signedInAt),
});

export const memberRoutes =
  (dependencies: MemberDependencies & { inviteByMail: InviteByMail | null }): Routes =>
  (server) => {
    server.get(
      '/api/members',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: "List the team's members",
          querystring: PageQuery,
          response: { 200: Type.Object({ members: Type.Array(Member), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const { rows, nextCursor } = await listMembers(dependencies.database, callerOf(request).teamId, request.query);
        return { members: rows.map(toMember), nextCursor };
      },
    );

    server.post(
      '/api/members',
      {
        config: { access: 'admin' },
        schema: {
          tags: ['team'],
          summary: 'Invite a member by link',
          description:
            'The link signs the new member in. It works once, expires in seven days and is only shown here. If a mail server is set up, another link is queued to be emailed to them (`mailed`). Otherwise, send this one yourself. Inviting them again before they sign in makes a new link, and older ones stop working.',
          body: InvitationBody,
          response: {
            201: Type.Object({
              member: Member,
              signInLink: Type.String(),
              expiresAt: Type.String({ format: 'date-time' }),
              mailed: Type.Boolean({
                description:
                  'Whether an email with a link of its own was queued. The mail server may still reject it later.',
              }),
            }),
          },
        },
      },
      async (request, reply) => {
        const { email, name = null, role } = request.body;
        const invited = { email, name, role };
        const { teamId } = callerOf(request);
        const { user, link, mailed } = await inviteMember(
          dependencies,
          teamId,
          actorOf(request),
          invited,
          dependencies.inviteByMail,
        );
        const { address: signInLink, expiresAt } = link;
        return reply.code(201).send({ member: toMember(user), signInLink, expiresAt: toIso(expiresAt), mailed });
      },
    );

    server.patch(
      '/api/members/:id',
      {
        config: { access: 'admin' },
        schema: {
          tags: ['team'],
          summary: "Change a member's role or name",
          params: ById,
          body: MemberChangeBody,
          response: { 200: Type.Object({ member: Member }) },
        },
      },
      async (request) => ({
        member: toMember(
          await changeMember(dependencies, callerOf(request).teamId, actorOf(request), request.params.id, request.body),
        ),
      }),
    );

    server.delete(
      '/api/members/:id',
      {
        config: { access: 'admin' },
        schema: {
          tags: ['team'],
          summary: 'Remove a member',
          description: "Ends the member's sessions and access tokens. The team keeps its connections.",
          params: ById,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await removeMember(dependencies, callerOf(request).teamId, actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
