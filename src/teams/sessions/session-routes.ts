import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import { sessionUnknown } from '../errors.ts';
import { addTeamList } from '../team/add-team-list.ts';
import type { Sessions } from './sessions.ts';

const Time = Type.String({ format: 'date-time' });

const SessionView = Type.Object(
  {
    id: Type.String(),
    device: Type.Union([Type.String(), Type.Null()], {
      description: 'The browser and system it began on, like "Chrome on Windows"; `null` if unknown',
    }),
    createdAt: Time,
    lastUsedAt: Type.Union([Time, Type.Null()], { description: 'To the minute' }),
    expiresAt: Time,
    current: Type.Boolean({ description: 'Whether this request came with this session' }),
  },
  { title: 'Session' },
);

const forMembers = routeOptions('member', 'team');

export const sessionRoutes =
  (sessions: Sessions): Routes =>
  (server) => {
    addTeamList(server, '/api/sessions', {
      summary: 'List your own sessions',
      name: 'sessions',
      view: SessionView,
      read: sessions.list,
      toView: ({ id, device, createdAt, usedAt, expiresAt }, { sessionId }) => ({
        id,
        device,
        createdAt: toIso(createdAt),
        lastUsedAt: toIsoOrNull(usedAt),
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
