import type { FastifyRequest } from 'fastify';
import { type Access, type Caller, callerOf, type Routes, routeOptions, sendCsv, wantsCsv } from '../../http/index.ts';
import { NextCursor, PageQuery, Type } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import type { ContainmentOwner } from '../containment/containment-store.ts';
import { ContainedView, ContainmentView } from './containment-view.ts';
import type { Containments } from './containments.ts';
import type { Forecast } from './forecast-containment.ts';
import type { AskedContainment, Asker } from './prepare-containment.ts';

const MOST_REASON = 500;

const filters = {
  provider: Type.Optional(Type.String({ maxLength: 60, description: 'Connections to this provider, by its ID' })),
  connectedBefore: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description: 'Connections that were connected before this time',
    }),
  ),
  token: Type.Optional(
    Type.String({
      maxLength: 60,
      description: 'An access token, by its ID. With `revoke`, also the connections that it was used with',
    }),
  ),
};

const asked = {
  reason: Type.String({
    minLength: 1,
    maxLength: MOST_REASON,
    pattern: '\\S',
    description: 'What has happened, for the record. Never a secret',
  }),
  ...filters,
  revoke: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether to revoke the grants at their providers as well' }),
  ),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only says what it would stop' })),
};

const TeamBody = Type.Object(asked, { additionalProperties: false, title: 'NewContainment' });
const OperatorBody = Type.Object(
  {
    ...asked,
    team: Type.Optional(
      Type.String({ maxLength: 200, description: "Only this team, by your product's key for it or its ID" }),
    ),
  },
  { additionalProperties: false, title: 'NewOperatorContainment' },
);

const Details = Type.Object(
  { ...ContainmentView.properties, connections: Type.Array(ContainedView), nextCursor: NextCursor },
  { title: 'ContainmentDetails' },
);

const ForecastView = Type.Object(
  {
    dryRun: Type.Literal(true),
    connections: Type.Integer(),
    tokens: Type.Integer(),
    providers: Type.Array(
      Type.Object(
        {
          provider: Type.String(),
          connections: Type.Integer(),
          revocation: Type.Enum(['possible', 'unsupported', 'unknown']),
          where: Type.Union([Type.String(), Type.Null()], {
            description: 'Where a person can remove access, if known',
          }),
        },
        { title: 'ContainmentForecastOfProvider' },
      ),
    ),
  },
  { title: 'ContainmentForecast' },
);

const CSV = { description: 'As CSV', content: { 'text/csv': { schema: Type.String() } } };
const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

type Body = Omit<AskedContainment, 'provider' | 'ofTeamId' | 'connectedBefore' | 'tokenId' | 'revokes'> & {
  provider?: string;
  connectedBefore?: string;
  token?: string;
  team?: string;
  revoke: boolean;
  dryRun: boolean;
};

const viewForecast = (forecast: Forecast) => ({ dryRun: true as const, ...forecast });

type Place = {
  path: string;
  access: Access;
  tag: string;
  body: typeof TeamBody | typeof OperatorBody;
  /** Among whose connections and access tokens. */
  whose: string;
  /** One of its containments, and all of them. */
  one: string;
  all: string;
  /** The caller in whose team it is. Null for the operator. */
  callerIn(request: FastifyRequest): Caller | null;
};

const PLACES: readonly Place[] = [
  {
    ...{ path: '/api/containments', access: 'admin', tag: 'containments', body: TeamBody, whose: "your team's" },
    ...{ one: "one of your team's containments" },
    all: "your team's containments, and what the operator stopped in your team alone",
    callerIn: callerOf,
  },
  {
    ...{ path: '/api/operator/containments', access: { door: 'operator', whenUnset: 'hide' }, tag: 'operator' },
    ...{ body: OperatorBody, whose: "all teams'" },
    ...{ one: 'a containment that the operator began', all: 'containments that the operator began' },
    callerIn: () => null,
  },
];

/** Routes that stop what may have leaked: for the operator in all teams, and for admins in their own. */
export const containmentRoutes =
  (containments: Containments): Routes =>
  (server) => {
    for (const { path, access, tag, body, whose, one, all, callerIn } of PLACES) {
      const route = routeOptions(access, tag);
      const ownerOf = (request: FastifyRequest): ContainmentOwner => callerIn(request)?.teamId ?? null;

      const read = async (request: FastifyRequest): Promise<AskedContainment> => {
        const { reason, provider = null, connectedBefore, token = null, team, revoke } = request.body as Body;
        const owner = ownerOf(request);
        return {
          ...{ reason, provider, tokenId: token, revokes: revoke },
          connectedBefore: connectedBefore === undefined ? null : Date.parse(connectedBefore),
          ofTeamId: owner ?? (team === undefined ? null : await containments.findTeam(team)),
        };
      };

      server.post(
        path,
        route({
          summary: `Stop what may have leaked, among ${whose} connections and access tokens`,
          description:
            "Connections that match all the filters aren't refreshed, used, or handed out from the response on, in every process within a second: requests for them get 409 `integrations.contained`, and those with a stopped access token get 401. Without `provider` and `connectedBefore`, the access tokens of the named team, or the named token, stop working, too; browser sessions and the token that you use go on. What is made later isn't affected. With `revoke`, grants are then revoked at their providers.",
          body,
          response: { 200: ForecastView, 201: Details },
        }),
        async (request, reply) => {
          const asker: Asker = { owner: ownerOf(request), actor: actorOf(request) };
          const wanted = await read(request);
          if ((request.body as Body).dryRun) return viewForecast(await containments.forecastContainment(wanted, asker));
          const { id } = await containments.beginContainment(wanted, asker);
          return reply.code(201).send(await containments.get(asker.owner, id, { limit: 50 }));
        },
      );

      server.get(
        path,
        route({
          summary: `List ${all}, newest first`,
          querystring: PageQuery,
          response: { 200: Type.Object({ containments: Type.Array(ContainmentView), nextCursor: NextCursor }) },
        }),
        async (request) => {
          const { rows, nextCursor } = await containments.list(ownerOf(request), request.query as PageQuery);
          return { containments: rows, nextCursor };
        },
      );

      server.get(
        `${path}/:id`,
        route({
          summary: `Get ${one}, and what became of each connection`,
          description: 'With `Accept: text/csv`, the whole list of connections as a file.',
          params: ById,
          querystring: PageQuery,
          response: { 200: Details },
        }),
        async (request, reply) => {
          const { id } = request.params as { id: string };
          if (wantsCsv(request))
            return sendCsv(reply, `containment-${id}`, await containments.writeLedger(callerIn(request), id));
          return containments.get(ownerOf(request), id, request.query as PageQuery);
        },
      );

      server.get(
        `${path}/:id/exposure.csv`,
        route({
          summary: 'Download who could have had what was contained',
          description:
            'Access tokens that were handed out, and requests by caller, each with the first and the last time. Requests are known for seven days, and by hour and access token for 90.',
          params: ById,
          response: { 200: CSV },
        }),
        async (request, reply) => {
          const { id } = request.params as { id: string };
          return sendCsv(reply, `exposure-${id}`, await containments.writeExposure(callerIn(request), id));
        },
      );

      server.delete(
        `${path}/:id`,
        route({
          summary: `Lift ${one}`,
          description: 'Connections and access tokens work again. What was revoked has to be connected again.',
          params: ById,
          response: { 200: Details },
        }),
        async (request) => {
          const { id } = request.params as { id: string };
          const asker: Asker = { owner: ownerOf(request), actor: actorOf(request) };
          await containments.liftContainment(id, asker);
          return containments.get(asker.owner, id, { limit: 50 });
        },
      );
    }
  };
