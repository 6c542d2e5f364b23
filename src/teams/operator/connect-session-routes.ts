import type { Routes } from '../../http/index.ts';
import { Type, toIso } from '../../platform/index.ts';
import { actorOf } from '../audit/record-audit.ts';
import type { ConnectSessions } from './connect-sessions.ts';
import { forOperator, Key, UserEmail, UserName } from './operator-schemas.ts';

/** The path of the hosted page. The ticket is added as a query. */
export const HOSTED_PAGE = '/connect';

const DEFAULT_SECONDS = 900;
const MOST_PROVIDERS = 100;

/** Refuses unknown providers, and return URLs that aren't allowed. Returns the URL in the form to store. */
type CheckOptions = (providers: readonly string[] | null, returnTo: string | null) => string | null;

const Body = Type.Object(
  {
    user: Type.Object(
      {
        key: Key,
        name: Type.Optional(UserName),
        email: Type.Optional(UserEmail),
      },
      { additionalProperties: false, description: 'Created on first use' },
    ),
    providers: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        minItems: 1,
        maxItems: MOST_PROVIDERS,
        uniqueItems: true,
        description: 'Default: all',
      }),
    ),
    expiresInSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 3_600, default: DEFAULT_SECONDS })),
    returnTo: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'Where the hosted page leads when the user is done' }),
    ),
  },
  { additionalProperties: false },
);

const Created = Type.Object(
  {
    token: Type.String(),
    expiresAt: Type.String({ format: 'date-time' }),
    user: Type.Object({ id: Type.String(), key: Type.String() }),
    pageUrl: Type.String(),
  },
  { title: 'ConnectSession' },
);

export const connectSessionRoutes =
  (sessions: ConnectSessions, url: string, checkOptions: CheckOptions): Routes =>
  (server) => {
    server.post(
      '/api/operator/teams/:key/sessions',
      forOperator({
        summary: "Create a connect session for a customer's user",
        description:
          "`token` is a bearer token for the user's own browser. It lists, connects, and disconnects integrations, for the listed providers only. `pageUrl` is a hosted page for the same. It opens once, so don't send it to anyone else.",
        params: Type.Object({ key: Key }),
        body: Body,
        response: { 201: Created },
      }),
      async (request, reply) => {
        const { user, providers = null, returnTo = null, expiresInSeconds = DEFAULT_SECONDS } = request.body;
        const { token, ticket, expiresAt, userId } = await sessions.create(request.params.key, actorOf(request), {
          ...{ user, providers, returnTo: checkOptions(providers, returnTo), lifetimeMs: expiresInSeconds * 1_000 },
        });
        return reply.code(201).send({
          ...{ token, expiresAt: toIso(expiresAt), user: { id: userId, key: user.key } },
          pageUrl: `${url}${HOSTED_PAGE}?ticket=${ticket}`,
        });
      },
    );

    server.delete(
      '/api/operator/teams/:key/sessions',
      forOperator({
        summary: "End a user's connect sessions",
        description:
          'Also the hosted pages that are open, and what the user has begun to connect. Do this when the user signs out of your product.',
        params: Type.Object({ key: Key }),
        querystring: Type.Object({ user: Key }),
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        await sessions.end(request.params.key, actorOf(request), request.query.user);
        return reply.code(204).send(null);
      },
    );
  };
