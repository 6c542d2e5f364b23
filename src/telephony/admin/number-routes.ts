import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { NumberChange, NumberWish } from '../accounts/numbers.ts';
import { ById } from '../contract/schemas.ts';
import type { Administration } from './administration.ts';
import { NumberView } from './number-view.ts';

export const numberRoutes =
  ({ numbers }: Administration): Routes =>
  (server) => {
    const forAdmins = routeOptions('admin', 'telephony');

    server.get(
      '/api/telephony/numbers',
      forAdmins({
        summary: "List the team's numbers and how each is answered",
        querystring: PageQuery,
        response: { 200: Type.Object({ numbers: Type.Array(NumberView), nextCursor: NextCursor }) },
      }),
      async (request) => {
        const { rows, nextCursor } = await numbers.list(callerOf(request).teamId, null, request.query);
        return { numbers: rows, nextCursor };
      },
    );

    server.get(
      '/api/telephony/numbers/:id',
      forAdmins({ summary: 'Get a number', params: ById, response: { 200: NumberView } }),
      (request) => numbers.get(callerOf(request).teamId, request.params.id),
    );

    server.post(
      '/api/telephony/numbers',
      forAdmins({
        summary: 'Add a number',
        description:
          "Without `answer`, callers can leave a message. If `hours.open` is null, the team's business hours apply. Outside them, `hours.outside` overrides the other settings.",
        body: NumberWish,
        response: { 201: NumberView },
      }),
      async (request, reply) =>
        reply.code(201).send(await numbers.create(callerOf(request).teamId, actorOf(request), request.body)),
    );

    server.patch(
      '/api/telephony/numbers/:id',
      forAdmins({
        summary: 'Change a number',
        description: '`answer` replaces all the answering settings. They apply from the next call on.',
        params: ById,
        body: NumberChange,
        response: { 200: NumberView },
      }),
      (request) => numbers.change(callerOf(request).teamId, actorOf(request), request.params.id, request.body),
    );

    server.delete(
      '/api/telephony/numbers/:id',
      forAdmins({ summary: 'Remove a number', params: ById, response: { 204: Type.Null() } }),
      async (request, reply) => {
        await numbers.remove(callerOf(request).teamId, actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
