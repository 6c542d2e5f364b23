import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { callerOf, type Routes, routeOptions, sendCsv, wantsCsv, withRight } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf, MOST_EXPORTED } from '../../teams/index.ts';
import type { CallSummary } from '../calls/call-summary.ts';
import { CallStoryView, CallView, toCallView } from '../calls/call-view.ts';
import { ById, TextOrNull } from '../contract/schemas.ts';
import { callUnknown } from '../errors.ts';
import { CallQuery } from './call-query.ts';
import type { Calls } from './calls.ts';
import { DAYS_TO_TAKE_BACK, MOST_MARKED } from './return-marks.ts';
import { mayHear } from './transcript-search.ts';
import { viewStory } from './view-story.ts';

const MOST = 100;
const STANDARD = 50;

const Query = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST })), ...CallQuery.properties },
  { additionalProperties: false },
);

const Marks = Type.Object(
  {
    ids: Type.Array(Type.String({ maxLength: 60 }), { minItems: 1, maxItems: MOST_MARKED }),
    allAttempts: Type.Optional(
      Type.Boolean({ description: 'true to also mark what the same callers tried before these calls' }),
    ),
  },
  { additionalProperties: false },
);

const toOneView = ([call]: readonly CallSummary[]): CallView => {
  // The call existed when it was marked, so it's missing only if it was erased since.
  if (!call) throw callUnknown();
  return toCallView(call);
};

export const callRoutes =
  ({ list, getStory, markReturned, unmarkReturned, writeCsv }: Calls): Routes =>
  (server) => {
    const forMembers = routeOptions('member', 'calls');

    server.get(
      '/api/calls',
      withRight(
        'calls',
        forMembers({
          summary: "List the team's calls, newest first",
          description: `Returns at most ${MOST} at a time; use \`nextCursor\` to get more. \`Accept: text/csv\` returns a file with all of them (at most ${MOST_EXPORTED.toLocaleString('en')}), or with the first \`limit\`.`,
          querystring: Query,
          response: { 200: Type.Object({ calls: Type.Array(CallView), nextCursor: TextOrNull }) },
        }),
      ),
      async (request, reply) => {
        const caller = callerOf(request);
        const { limit, ...query } = request.query;
        const hears = mayHear(caller.restriction);
        if (wantsCsv(request)) return sendCsv(reply, 'calls', await writeCsv(caller, query, { most: limit, hears }));
        const { calls, nextCursor } = await list(caller.teamId, query, limit ?? STANDARD, hears);
        return { calls: calls.map(toCallView), nextCursor };
      },
    );

    server.get(
      '/api/calls/:id',
      withRight(
        'calls',
        forMembers({
          summary: 'Get a call with everything that happened to it',
          params: ById,
          response: { 200: CallStoryView },
        }),
      ),
      async (request) => {
        const { teamId, restriction } = callerOf(request);
        return viewStory(await getStory(teamId, request.params.id), restriction);
      },
    );

    const changeOne =
      (change: Calls['markReturned']) =>
      async (request: FastifyRequest<{ Params: Static<typeof ById> }>): Promise<CallView> =>
        toOneView(await change(callerOf(request), actorOf(request), { ids: [request.params.id], allAttempts: false }));

    server.post(
      '/api/calls/:id/returned',
      forMembers({ summary: 'Mark an unanswered call as returned', params: ById, response: { 200: CallView } }),
      changeOne(markReturned),
    );

    server.delete(
      '/api/calls/:id/returned',
      forMembers({
        summary: 'Take back that a call was marked as returned',
        description: `Only the mark goes, and only within ${DAYS_TO_TAKE_BACK} days. If the team called back, or the caller got through later, the call stays returned.`,
        params: ById,
        response: { 200: CallView },
      }),
      changeOne(unmarkReturned),
    );

    server.post(
      '/api/calls/returned',
      forMembers({
        summary: 'Mark several unanswered calls as returned',
        description: 'If one of them is unknown or was answered, none is marked.',
        body: Marks,
        response: { 200: Type.Object({ calls: Type.Array(CallView) }) },
      }),
      async (request) => {
        const { ids, allAttempts = false } = request.body;
        const calls = await markReturned(callerOf(request), actorOf(request), { ids, allAttempts });
        return { calls: calls.map(toCallView) };
      },
    );
  };
