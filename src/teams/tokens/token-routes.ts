import { callerOf, type Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import type { AccessToken } from '../records/access-token-store.ts';
import { actorOf } from '../records/record-audit.ts';
import {
  createAccessToken,
  listTokensFor,
  revokeAccessToken,
  TOKEN_DAYS,
  type TokenDependencies,
} from './access-tokens.ts';

const Time = Type.String({ format: 'date-time' });

export const NewTokenBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKEN_DAYS.most })),
  },
  { additionalProperties: false },
);

const TokenAnswer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  user: Type.Object({ id: Type.String(), email: Type.Union([Type.String(), Type.Null()]) }),
  createdAt: Time,
  expiresAt: Time,
  usedAt: Type.Union([Time, Type.Null()]),
});

const toAnswer = ({ id, name, userId, userEmail, createdAt, expiresAt, usedAt }: AccessToken) => ({
  id,
  name,
  user: { id: userId, email: userEmail },
  createdAt: toIso(createdAt),
  expiresAt: toIso(expiresAt),
  usedAt: toIsoOrNull(usedAt),
});

export const tokenRoutes =
  (dependencies: TokenDependencies): Routes =>
  (server) => {
    server.get(
      '/api/tokens',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: "List your own access tokens, or the whole team's if you're an admin",
          querystring: PageQuery,
          response: { 200: Type.Object({ tokens: Type.Array(TokenAnswer), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const { rows, nextCursor } = await listTokensFor(dependencies.database, callerOf(request), request.query);
        return { tokens: rows.map(toAnswer), nextCursor };
      },
    );

    server.post(
      '/api/tokens',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: 'Create an access token for yourself',
          description: 'The token is only shown here.',
          body: NewTokenBody,
          response: {
            201: Type.Object({
              id: Type.String(),
              name: Type.String(),
              createdAt: Time,
              expiresAt: Time,
              token: Type.String(),
            }),
          },
        },
      },
      async (request, reply) => {
        const { name, expiresInDays } = request.body;
        const caller = callerOf(request);
        const made = await createAccessToken(dependencies, caller, actorOf(request), {
          name,
          days: expiresInDays,
          ...(caller.via === 'admin_token' ? { byOperator: true } : {}),
        });
        return reply.code(201).send({ ...made, createdAt: toIso(made.createdAt), expiresAt: toIso(made.expiresAt) });
      },
    );

    server.delete(
      '/api/tokens/:id',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: "Revoke your own access token, or any of the team's if you're an admin",
          params: Type.Object({ id: Type.String() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await revokeAccessToken(dependencies, callerOf(request), actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
