import { callerOf, type Routes } from '../../http/index.ts';
import { type Clock, type Database, type NewId, Type, toIsoOrNull } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { Call, CallWithStory, toCallAnswer, toEventAnswer } from './call-answer.ts';
import { CSV_TYPE } from './call-csv.ts';
import { type CallExports, CSV_MOST } from './call-exports.ts';
import { CallQuery } from './call-query.ts';
import { getCallStory } from './get-call-story.ts';
import { listCallPage } from './list-call-page.ts';
import { returnCall } from './return-call.ts';

export type CallRouteDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  writeCsv: CallExports;
};

const MOST = 100;
const STANDARD = 50;

const Query = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST })), ...CallQuery.properties },
  { additionalProperties: false },
);

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

export const callRoutes =
  (dependencies: CallRouteDependencies): Routes =>
  (server) => {
    const { vault, writeCsv } = dependencies;
    const tags = ['calls'];

    server.get(
      '/api/calls',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: "List the team's calls, newest first",
          description: `Returns at most ${MOST} at a time; use \`nextCursor\` to get more. \`Accept: text/csv\` returns a file with all of them (at most ${CSV_MOST.toLocaleString('en')}), or with the first \`limit\`.`,
          querystring: Query,
          response: {
            200: Type.Object({
              calls: Type.Array(Call),
              nextCursor: Type.Union([Type.String(), Type.Null()]),
            }),
          },
        },
      },
      async (request, reply) => {
        const caller = callerOf(request);
        const { limit, ...query } = request.query;
        if (/text\/csv/i.test(request.headers.accept ?? '')) {
          const lines = await writeCsv(caller, query, limit);
          reply.header('content-type', CSV_TYPE).header('content-disposition', 'attachment; filename="calls.csv"');
          return reply.send(lines as never);
        }
        const { calls, nextCursor } = await listCallPage(dependencies, caller.teamId, query, limit ?? STANDARD);
        return { calls: await Promise.all(calls.map((row) => toCallAnswer(vault, row))), nextCursor };
      },
    );

    server.get(
      '/api/calls/:id',
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'Get a call with everything that happened to it',
          params: ById,
          response: { 200: CallWithStory },
        },
      },
      async (request) => {
        const { call, evidence, events, recordings } = await getCallStory(
          dependencies,
          callerOf(request).teamId,
          request.params.id,
        );
        return {
          ...(await toCallAnswer(vault, call)),
          evidence: [...evidence],
          events: events.map(toEventAnswer),
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
      {
        config: { access: 'member' },
        schema: {
          tags,
          summary: 'Mark an unanswered call as returned',
          params: ById,
          response: { 200: Call },
        },
      },
      async (request) =>
        toCallAnswer(vault, await returnCall(dependencies, callerOf(request), actorOf(request), request.params.id)),
    );
  };
