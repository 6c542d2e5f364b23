import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { AccessToken } from '../records/access-token-store.ts';
import { addTeamList } from '../team/add-team-list.ts';
import { RightsView, rightsFields, toRightsView } from './token-rights.ts';
import { type AccessTokens, TOKEN_DAYS, TOKEN_MINUTES } from './tokens.ts';

const Text = Type.String();
const Time = Type.String({ format: 'date-time' });

export const NewTokenBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKEN_DAYS.most })),
    expiresInMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKEN_MINUTES })),
    ...rightsFields,
  },
  { additionalProperties: false },
);

const TokenView = Type.Object(
  {
    id: Text,
    name: Text,
    user: Type.Object({ id: Text, email: Type.Union([Text, Type.Null()]), key: Type.Union([Text, Type.Null()]) }),
    createdAt: Time,
    expiresAt: Time,
    usedAt: Type.Union([Time, Type.Null()]),
    client: Type.Union([Text, Type.Null()], {
      description:
        'The host of the client that a person granted it to through OAuth. Null for one that was made by hand',
    }),
    contained: Type.Boolean({ description: 'Whether a containment stops it' }),
    ...RightsView,
  },
  { title: 'AccessToken' },
);

const toTokenView = ({
  userId,
  userEmail,
  userKey,
  userName: _,
  createdAt,
  expiresAt,
  usedAt,
  restriction,
  isContained: contained,
  ...token
}: AccessToken) => ({
  ...token,
  contained,
  ...toRightsView(restriction),
  user: { id: userId, email: userEmail, key: userKey },
  createdAt: toIso(createdAt),
  expiresAt: toIso(expiresAt),
  usedAt: toIsoOrNull(usedAt),
});

const MadeTokenView = Type.Object(
  { id: Text, name: Text, createdAt: Time, expiresAt: Time, token: Text },
  { title: 'NewAccessToken' },
);

const forMembers = routeOptions('member', 'team');

export const tokenRoutes =
  (tokens: AccessTokens): Routes =>
  (server) => {
    addTeamList(server, '/api/tokens', {
      summary: "List your own access tokens, or the whole team's if you're an admin",
      name: 'tokens',
      view: TokenView,
      read: tokens.list,
      toView: toTokenView,
    });

    server.post(
      '/api/tokens',
      forMembers({
        summary: 'Create an access token for yourself',
        description:
          "The token is only shown here. One that is created with an access token can't be valid for longer than that token. Without `expiresInDays` or `expiresInMinutes`, it's valid for 90 days, or as long as that token if that's shorter. A token with `can` or `allow` is restricted: it can do what they list, and nothing else, and it never has more rights than its user has now. It's valid for up to 365 days.",
        body: NewTokenBody,
        response: { 201: MadeTokenView },
      }),
      async (request, reply) => {
        const { name, expiresInDays: days, expiresInMinutes: minutes, ...rights } = request.body;
        const caller = callerOf(request);
        const byOperator = caller.via === 'admin_token' || caller.via === 'operator';
        const made = await tokens.create(caller, actorOf(request), { name, days, minutes, byOperator, rights });
        return reply.code(201).send({ ...made, createdAt: toIso(made.createdAt), expiresAt: toIso(made.expiresAt) });
      },
    );

    server.delete(
      '/api/tokens/:id',
      forMembers({
        summary: "Revoke your own access token, or any of the team's if you're an admin",
        params: Type.Object({ id: Text }),
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        await tokens.revoke(callerOf(request), actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
