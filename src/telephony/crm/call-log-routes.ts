import { callerOf, type Routes, withOptionalBody } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { InstantText, TextOrNull } from '../contract/schemas.ts';
import type { createCallLogs } from './call-logs.ts';

const MOST = 100;
const STANDARD = 50;
const Connection = Type.Optional(
  Type.String({ maxLength: 60, description: 'Its name. Without it, `default` or the only one' }),
);

const Unlogged = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    state: Type.Enum(['waiting', 'refused', 'unclear', 'logged'], {
      description:
        '`waiting`: it will be logged. `refused`: the provider refused it. `unclear`: it may be logged, and the provider cannot say',
    }),
    problem: TextOrNull,
    since: InstantText,
  },
  { title: 'UnloggedCall' },
);

const Counts = Type.Object({
  waiting: Type.Integer(),
  logged: Type.Integer(),
  refused: Type.Integer(),
  unclear: Type.Integer(),
});

const ByProvider = Type.Object({ provider: Type.String({ maxLength: 60 }) });
const ByCall = Type.Object({ ...ByProvider.properties, id: Type.String({ maxLength: 60 }) });

/** Routes to see which calls a CRM doesn't have in its log, and to try again. */
export const callLogRoutes =
  ({ listCallLogs, retryCallLog }: ReturnType<typeof createCallLogs>): Routes =>
  (server) => {
    server.get(
      '/api/integrations/:provider/people/calls',
      {
        config: { access: 'member' as const },
        schema: {
          tags: ['integrations'],
          summary: "List calls that aren't logged at a provider, oldest first",
          params: ByProvider,
          querystring: Type.Object(
            {
              connection: Connection,
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST })),
              cursor: Type.Optional(Type.String({ maxLength: 60 })),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object(
              { calls: Type.Array(Unlogged), counts: Counts, nextCursor: TextOrNull },
              { title: 'CallLog' },
            ),
          },
        },
      },
      async (request) => {
        const { teamId } = callerOf(request);
        const { connection = null, limit = STANDARD, cursor: after } = request.query;
        return listCallLogs({ teamId, provider: request.params.provider, name: connection }, { after, limit });
      },
    );

    server.post(
      '/api/integrations/:provider/people/calls/:id/retry',
      withOptionalBody({
        config: { access: 'admin' as const },
        schema: {
          tags: ['integrations'],
          summary: 'Try again to log a call',
          description: "What may have arrived is looked for before it's sent again.",
          params: ByCall,
          body: Type.Object({ connection: Connection }, { additionalProperties: false }),
          response: { 204: Type.Null() },
        },
      }),
      async (request, reply) => {
        const { teamId } = callerOf(request);
        const { provider, id } = request.params;
        const { connection = null } = request.body;
        await retryCallLog({ teamId, provider, name: connection }, id, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };
