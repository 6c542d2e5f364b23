import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { Type, toIso } from '../../platform/index.ts';
import { sessionUnknown } from '../errors.ts';
import { addTeamList } from '../records/add-team-list.ts';
import { actorOf } from '../records/record-audit.ts';
import type { Sessions } from './sessions.ts';

const Time = Type.String({ format: 'date-time' });

const SessionView = Type.Object({
  id: Type.String(),
  createdAt: Time,
  expiresAt: Time,
  current: Type.Boolean({ description: 'Whether this request came with this session' }),
});

const forMembers = routeOptions('member', 'team');

export const sessionRoutes =
  (sessions: Sessions): Routes =>
  (server) => {
    addTeamList(server, '/api/sessions', {
      summary: 'List your own sessions',
      name: 'sessions',
      view: SessionView,
      read: sessions.list,
      toView: ({ id, createdAt, expiresAt }, { sessionId }) => ({
        id,
        createdAt: toIso(createdAt),
        expiresAt: toIso(expiresAt),
        current: id === sessionId,
      }),
    });

    server.delete(
      '/api/sessions/:id',
      forMembers({
        summary: 'End one of your own sessions',
        params: Type.Object({ id: Type.String() }),
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        const ended = await sessions.end(callerOf(request), actorOf(request), request.params.id);
        if (!ended) throw sessionUnknown();
        return reply.code(204).send(null);
      },
    );
  };
