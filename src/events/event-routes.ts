import type { FastifyRequest } from 'fastify';
import { callerOf, type Routes, routeOptions, withOptionalBody, withRight } from '../http/index.ts';
import { Type, toIso } from '../platform/index.ts';
import { actorOf } from '../teams/index.ts';
import { isAccepted } from './attempts/attempt.ts';
import type { AttemptRow } from './attempts/attempt-store.ts';
import type { EndpointOwner } from './endpoints/endpoint.ts';
import { EndpointView, endpointFields, NewEndpointView, toEndpointView } from './endpoints/endpoint-view.ts';
import type { Events } from './events.ts';
import { toEventId } from './log/event.ts';
import { EventView } from './log/event-view.ts';
import { narrowEvent } from './log/narrow-event.ts';

const STRICT = { additionalProperties: false } as const;

const Instant = Type.String({ format: 'date-time' });

const attempt = {
  at: Instant,
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'null if there was no response' }),
  durationMs: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()], { description: 'null if it was accepted' }),
};

const ById = Type.Object({ id: Type.String({ maxLength: 100 }) });

const toAttemptView = ({ endpointId, at, status, durationMs, error }: AttemptRow) => ({
  ...{ endpoint: endpointId, status, durationMs, error },
  at: toIso(at),
});

type Section = {
  path: string;
  forOperator: boolean;
  options: ReturnType<typeof routeOptions>;
  ownerOf(request: FastifyRequest): Promise<EndpointOwner>;
};

/** Routes that create, change and delete endpoints. */
const endpointRoutes =
  ({ endpoints }: Events, { path, forOperator, options, ownerOf }: Section): Routes =>
  (server) => {
    const { url, types, description } = endpointFields(forOperator);
    const whose = forOperator ? ' of your customers' : '';

    server.get(
      `${path}/endpoints`,
      options({
        summary: `List where events${whose} are sent`,
        response: { 200: Type.Object({ endpoints: Type.Array(EndpointView) }) },
      }),
      async (request) => ({ endpoints: (await endpoints.list(await ownerOf(request))).map(toEndpointView) }),
    );

    server.post(
      `${path}/endpoints`,
      options({
        summary: `Send events${whose} to an address`,
        description:
          'Events are signed as described by Standard Webhooks. `secret` verifies them, and is only in this response. The endpoint gets what happens from now on.',
        body: Type.Object({ url, types: Type.Optional(types), description: Type.Optional(description) }, STRICT),
        response: { 201: NewEndpointView },
      }),
      async (request, reply) => {
        const input = { types: ['*'], description: '', ...request.body };
        const made = await endpoints.create(await ownerOf(request), actorOf(request), input);
        return reply.code(201).send({ ...toEndpointView(made), secret: made.secret.reveal() });
      },
    );

    server.get(
      `${path}/endpoints/:id`,
      options({ summary: 'Show an endpoint', params: ById, response: { 200: EndpointView } }),
      async (request) => toEndpointView(await endpoints.show(await ownerOf(request), request.params.id)),
    );

    server.patch(
      `${path}/endpoints/:id`,
      options({
        summary: 'Change an endpoint, or turn it on or off',
        description: 'One that is turned on again gets what happens from then on. For what it missed, use `replay`.',
        params: ById,
        body: Type.Partial(Type.Object({ url, types, description, active: Type.Boolean() }), STRICT),
        response: { 200: EndpointView },
      }),
      async (request) => {
        const { id } = request.params;
        const changed = await endpoints.change(await ownerOf(request), actorOf(request), id, request.body);
        return toEndpointView(changed);
      },
    );

    server.delete(
      `${path}/endpoints/:id`,
      options({ summary: 'Delete an endpoint', params: ById, response: { 204: Type.Null() } }),
      async (request, reply) => {
        const { id } = request.params;
        await endpoints.remove(await ownerOf(request), actorOf(request), id);
        return reply.code(204).send(null);
      },
    );
  };

/** Routes for actions on an endpoint: test it, rotate its secret, replay a period. */
const endpointActionRoutes =
  ({ endpoints, now }: Events, { path, options, ownerOf }: Section): Routes =>
  (server) => {
    server.post(
      `${path}/endpoints/:id/test`,
      options({
        summary: 'Send a test event to an endpoint',
        description: 'Waits for the receiver, at most 15 seconds, and returns what it said.',
        params: ById,
        response: {
          200: Type.Object({ event: Type.String(), delivered: Type.Boolean(), ...attempt }, { title: 'EndpointTest' }),
        },
      }),
      async (request) => {
        const { id } = request.params;
        const { eventId, attempt: made } = await endpoints.test(await ownerOf(request), actorOf(request), id);
        const { at, status, durationMs, error } = made;
        return { event: toEventId(eventId), delivered: isAccepted(made), at: toIso(at), status, durationMs, error };
      },
    );

    server.post(
      `${path}/endpoints/:id/rotate`,
      options({
        summary: 'Add a new secret to an endpoint',
        description: 'The old one also signs for another 24 hours, so that you can change over.',
        params: ById,
        response: { 200: Type.Object({ secret: Type.String(), oldSecretUntil: Instant }) },
      }),
      async (request) => {
        const { id } = request.params;
        const { secret, oldSecretUntil } = await endpoints.rotate(await ownerOf(request), actorOf(request), id);
        return { secret: secret.reveal(), oldSecretUntil: toIso(oldSecretUntil) };
      },
    );

    server.post(
      `${path}/endpoints/:id/replay`,
      options({
        summary: 'Send what happened in a period again',
        description: 'In the background, oldest first, beside what happens now.',
        params: ById,
        body: Type.Object({ since: Instant, until: Type.Optional(Instant) }, STRICT),
        response: { 202: Type.Object({ replaying: Type.Boolean() }) },
      }),
      async (request, reply) => {
        const { id } = request.params;
        const { since, until } = request.body;
        const period = { since: Date.parse(since), until: until ? Date.parse(until) : now() };
        const replaying = await endpoints.replay(await ownerOf(request), actorOf(request), id, period);
        return reply.code(202).send({ replaying });
      },
    );
  };

/** Routes for single events, and the attempts to send them. */
const singleEventRoutes =
  (events: Events, { path, options, ownerOf }: Section): Routes =>
  (server) => {
    server.get(
      `${path}/:id`,
      withRight(
        'events',
        options({
          summary: 'Show an event, and every attempt to send it',
          params: ById,
          response: {
            200: Type.Object(
              {
                ...EventView.properties,
                attempts: Type.Array(Type.Object({ endpoint: Type.String(), ...attempt }, { title: 'EventAttempt' })),
              },
              { title: 'EventWithAttempts' },
            ),
          },
        }),
      ),
      async (request) => {
        const { id } = request.params;
        const { event, attempts } = await events.showEvent(await ownerOf(request), id);
        return { ...narrowEvent(event, request.caller?.restriction), attempts: attempts.map(toAttemptView) };
      },
    );

    server.post(
      `${path}/:id/resend`,
      withOptionalBody(
        options({
          summary: 'Send an event again',
          description: 'To every active endpoint that wants it.',
          params: ById,
          response: { 202: Type.Object({ endpoints: Type.Integer() }) },
        }),
      ),
      async (request, reply) => {
        const { id } = request.params;
        const count = await events.resendEvent(await ownerOf(request), actorOf(request), id);
        return reply.code(202).send({ endpoints: count });
      },
    );
  };

/** All routes for endpoints and single events, for a team's admins and for the operator. */
export const eventRoutes = (events: Events): Routes[] => {
  const sections: Section[] = [
    {
      path: '/api/events',
      forOperator: false,
      options: routeOptions('admin', 'events'),
      ownerOf: async (request) => ({ teamId: callerOf(request).teamId, forOperator: false }),
    },
    {
      path: '/api/operator/events',
      forOperator: true,
      options: routeOptions({ door: 'operator', whenUnset: 'hide' }, 'operator'),
      ownerOf: async () => ({ teamId: await events.getFirstTeamId(), forOperator: true }),
    },
  ];
  return sections.flatMap((section) =>
    [endpointRoutes, endpointActionRoutes, singleEventRoutes].map((add) => add(events, section)),
  );
};
