import { callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { Type, toIsoOrNull } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { ById, TextOrNull } from '../contract/schemas.ts';
import { CSV_TYPE } from './call-csv.ts';
import { CSV_MOST } from './call-exports.ts';
import { CallQuery } from './call-query.ts';
import { CallStoryView, CallView, toCallView, toEventView } from './call-view.ts';
import type { Calls } from './calls.ts';

const MOST = 100;
const STANDARD = 50;

const Query = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST })), ...CallQuery.properties },
  { additionalProperties: false },
);

export const callRoutes =
  ({ list, getStory, markReturned, writeCsv }: Calls): Routes =>
  (server) => {
    const forMembers = routeOptions('member', 'calls');

    server.get(
      '/api/calls',
      forMembers({
        summary: "List the team's calls, newest first",
        description: `Returns at most ${MOST} at a time; use \`nextCursor\` to get more. \`Accept: text/csv\` returns a file with all of them (at most ${CSV_MOST.toLocaleString('en')}), or with the first \`limit\`.`,
        querystring: Query,
        response: { 200: Type.Object({ calls: Type.Array(CallView), nextCursor: TextOrNull }) },
      }),
      async (request, reply) => {
        const caller = callerOf(request);
        const { limit, ...query } = request.query;
        if (/text\/csv/i.test(request.headers.accept ?? '')) {
          const lines = await writeCsv(caller, query, limit);
          reply.header('content-type', CSV_TYPE).header('content-disposition', 'attachment; filename="calls.csv"');
          return reply.send(lines as never);
        }
        const { calls, nextCursor } = await list(caller.teamId, query, limit ?? STANDARD);
        return { calls: calls.map(toCallView), nextCursor };
      },
    );

    server.get(
      '/api/calls/:id',
      forMembers({
        summary: 'Get a call with everything that happened to it',
        params: ById,
        response: { 200: CallStoryView },
      }),
      async (request) => {
        const { call, evidence, events, recordings } = await getStory(callerOf(request).teamId, request.params.id);
        return {
          ...toCallView(call),
          evidence: [...evidence],
          events: events.map(toEventView),
          recordings: recordings.map(({ id, state, startedAt, durationMs }) => ({
            id,
            state,
            startedAt: toIsoOrNull(startedAt),
            durationSeconds: durationMs === null ? null : durationMs / 1_000,
          })),
        };
      },
    );

    server.post(
      '/api/calls/:id/returned',
      forMembers({ summary: 'Mark an unanswered call as returned', params: ById, response: { 200: CallView } }),
      async (request) => toCallView(await markReturned(callerOf(request), actorOf(request), request.params.id)),
    );
  };
