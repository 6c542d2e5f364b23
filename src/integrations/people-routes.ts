import { callerOf, type Routes } from '../http/index.ts';
import { Type } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import { apiRoute, ByProvider, Instant } from './catalogue/schemas.ts';
import { ConnectionName } from './connections/connection-name.ts';
import { ByName, WHICH } from './named-connection.ts';
import { choosePeople, type PeopleContext, showPeople } from './people/choose-people.ts';

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const PeopleState = Type.Object(
  {
    provider: Type.String(),
    connection: Type.String(),
    lookup: Type.Boolean({ description: 'Whether callers are looked up' }),
    log: Type.Boolean({ description: 'Whether calls are logged' }),
    supports: Type.Object({ lookup: Type.Boolean(), log: Type.Boolean() }),
    needs: Type.Object(
      { lookup: TextOrNull, log: TextOrNull },
      { description: 'What the connection has to be allowed at the provider, in words' },
    ),
    lookupSince: Instant,
    logSince: Instant,
    lastFoundAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a lookup last found exactly one contact',
    }),
    lastNoMatchAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a lookup last found nobody',
    }),
    lastSeveralAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When a lookup last found several contacts with the same number, so that no name is shown',
    }),
    problem: Type.Union([
      Type.Object({
        code: Type.Enum(['not_allowed', 'refused', 'busy', 'away', 'unreadable', 'stopped']),
        message: Type.String(),
        at: Type.String({ format: 'date-time' }),
      }),
      Type.Null(),
    ]),
    pausedUntil: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: "Until when the provider isn't asked, because it's busy or doesn't answer",
    }),
  },
  { title: 'PeopleState' },
);

const PATH = '/api/integrations/:provider/people';

/** Routes to look up callers, and to log calls, with a connection. */
export const peopleRoutes =
  (context: PeopleContext): Routes =>
  (server) => {
    server.get(
      PATH,
      apiRoute('member', {
        summary: 'Show whether callers are looked up, and calls logged, with a connection',
        description: WHICH,
        params: ByProvider,
        querystring: ByName,
        response: { 200: PeopleState },
      }),
      async (request) => {
        const { teamId } = callerOf(request);
        const { provider } = request.params;
        return showPeople(context, { teamId, provider, name: request.query.connection ?? null });
      },
    );

    server.patch(
      PATH,
      apiRoute('admin', {
        summary: 'Turn on or off that callers are looked up, and calls logged, with a connection',
        description: `Both begin when they are turned on: calls from before are neither looked up nor logged. What is left out stays as it is. When lookups are turned off, the names are erased. ${WHICH}`,
        params: ByProvider,
        body: Type.Object(
          {
            lookup: Type.Optional(Type.Boolean()),
            log: Type.Optional(Type.Boolean()),
            connection: Type.Optional(ConnectionName),
          },
          { additionalProperties: false },
        ),
        response: { 200: PeopleState },
      }),
      async (request) => {
        const { teamId } = callerOf(request);
        const { connection = null, ...wish } = request.body;
        const wanted = { teamId, provider: request.params.provider, name: connection };
        return choosePeople(context, wanted, wish, actorOf(request));
      },
    );
  };
