import type { Routes } from '../../http/index.ts';
import { NextCursor, PageQuery, Type, toIso } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { actorOf } from '../audit/record-audit.ts';
import { type Team, TeamSettings } from '../records/team.ts';
import type { Customers } from './customers.ts';
import { forOperator, Key } from './operator-schemas.ts';

/** Functions that these routes need from other parts of the service. */
type WholeTeam = {
  /** Counts a team's connections by status. */
  countConnections(teamId: string): Promise<Record<string, number>>;
  beginErasure(actor: AuditActor, key: string): Promise<void>;
};

const ByKey = Type.Object({ key: Key });

const CustomerView = Type.Object(
  {
    id: Type.String(),
    key: Type.String(),
    name: Type.String(),
    timeZone: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Customer' },
);

const toCustomerView = ({ id, key, name, timeZone, createdAt }: Team) => ({
  ...{ id, key: key ?? '', name, timeZone },
  createdAt: toIso(createdAt),
});

const CREATE_HINT = 'To create a team, use PUT /api/operator/teams/{key} with your own id of the customer as the key.';

const list = forOperator({
  summary: 'List the teams of your customers',
  querystring: PageQuery,
  response: { 200: Type.Object({ teams: Type.Array(CustomerView), nextCursor: NextCursor }) },
});

export const customerRoutes =
  (customers: Customers, { countConnections, beginErasure }: WholeTeam): Routes =>
  (server) => {
    server.put(
      '/api/operator/teams/:key',
      forOperator({
        summary: 'Create a team for a customer, or change it',
        params: ByKey,
        body: Type.Object(
          { name: TeamSettings.properties.name, timeZone: Type.Optional(TeamSettings.properties.timeZone) },
          { additionalProperties: false },
        ),
        response: { 200: CustomerView, 201: CustomerView },
      }),
      async (request, reply) => {
        const { team, created } = await customers.put(actorOf(request), request.params.key, request.body);
        return reply.code(created ? 201 : 200).send(toCustomerView(team));
      },
    );

    server.get(
      '/api/operator/teams',
      { ...list, config: { ...list.config, insteadHint: CREATE_HINT } },
      async ({ query }) => {
        const { rows, nextCursor } = await customers.list(query);
        return { teams: rows.map(toCustomerView), nextCursor };
      },
    );

    server.get(
      '/api/operator/teams/:key',
      forOperator({
        summary: "Get a customer's team",
        params: ByKey,
        response: {
          200: Type.Object(
            {
              ...CustomerView.properties,
              connections: Type.Record(Type.String(), Type.Integer(), { description: 'How many there are, by status' }),
            },
            { title: 'CustomerDetails' },
          ),
        },
      }),
      async ({ params }) => {
        const team = await customers.get(params.key);
        return { ...toCustomerView(team), connections: await countConnections(team.id) };
      },
    );

    server.delete(
      '/api/operator/teams/:key',
      forOperator({
        summary: "Delete a customer's team and everything that belongs to it",
        description:
          'Its tokens and sessions end immediately. Grants are revoked, and rows and recordings are erased, in the background. The key is free again once that is done, after seven days at most.',
        params: ByKey,
        response: { 202: Type.Object({ key: Type.String(), state: Type.Literal('erasing') }) },
      }),
      async (request, reply) => {
        const { key } = request.params;
        await beginErasure(actorOf(request), key);
        return reply.code(202).send({ key, state: 'erasing' as const });
      },
    );
  };
