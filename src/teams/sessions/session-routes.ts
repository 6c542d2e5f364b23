import { callerOf, type Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type, toIso } from '../../platform/index.ts';
import { sessionUnknown } from '../errors.ts';
import { actorOf } from '../records/record-audit.ts';
import { type EndSessionDependencies, endSession } from './end-session.ts';
import { listOwnSessions } from './list-own-sessions.ts';

const Time = Type.String({ format: 'date-time' });

const SessionAnswer = Type.Object({
  id: Type.String(),
  createdAt: Time,
  expiresAt: Time,
  current: Type.Boolean({ description: 'Whether this request came with this session' }),
});

export const sessionRoutes =
  (dependencies: EndSessionDependencies): Routes =>
  (server) => {
    server.get(
      '/api/sessions',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: 'List your own sessions',
          querystring: PageQuery,
          response: { 200: Type.Object({ sessions: Type.Array(SessionAnswer), nextCursor: NextCursor }) },
        },
      },
      async (request) => {
        const caller = callerOf(request);
        const { rows, nextCursor } = await listOwnSessions(dependencies, caller, request.query);
        return {
          sessions: rows.map(({ id, createdAt, expiresAt }) => ({
            id,
            createdAt: toIso(createdAt),
            expiresAt: toIso(expiresAt),
            current: id === caller.sessionId,
          })),
          nextCursor,
        };
      },
    );

    server.delete(
      '/api/sessions/:id',
      {
        config: { access: 'member' },
        schema: {
          tags: ['team'],
          summary: 'End one of your own sessions',
          params: Type.Object({ id: Type.String() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const ended = await endSession(dependencies, callerOf(request), actorOf(request), request.params.id);
        if (!ended) throw sessionUnknown();
        return reply.code(204).send(null);
      },
    );
  };
