import { callerOf, type Routes } from '../../../http/index.ts';
import { Secret, Type, toIso } from '../../../platform/index.ts';
import { actorOf } from '../../../teams/index.ts';
import { apiRoute, ByProvider, Instant } from '../../catalogue/schemas.ts';
import type { IntegrationsContext } from '../../context.ts';
import {
  putAddress,
  removeAddress,
  removeSecret,
  rotateAddress,
  type ShownAddress,
  showAddress,
} from './manage-address.ts';
import { toRefusalWords } from './refusal-words.ts';

const AddressView = Type.Object(
  {
    url: Type.String({ description: 'The address to register at the provider' }),
    secrets: Type.Array(
      Type.Object({ id: Type.String(), addedAt: Type.String({ format: 'date-time' }), usedAt: Instant }),
      { description: 'Newest first. Any of them verifies' },
    ),
    lastDelivery: Type.Union([
      Type.Object({
        at: Type.String({ format: 'date-time' }),
        type: Type.String(),
        connection: Type.Union([Type.String(), Type.Null()], {
          description: 'The name of the connection that it was about. Null if it named none',
        }),
      }),
      Type.Null(),
    ]),
    lastRefusal: Type.Union([
      Type.Object({ at: Type.String({ format: 'date-time' }), reason: Type.String(), message: Type.String() }),
      Type.Null(),
    ]),
  },
  { title: 'WebhookAddress' },
);

const iso = (at: number | null): string | null => (at === null ? null : toIso(at));

const toView = (shown: ShownAddress) => {
  const { url, secrets, lastDeliveryAt, lastType, lastConnection, lastRefusalAt, lastRefusal } = shown;
  return {
    url,
    secrets: secrets.map(({ id, addedAt, usedAt }) => ({ id, addedAt: toIso(addedAt), usedAt: iso(usedAt) })),
    lastDelivery:
      lastDeliveryAt === null ? null : { at: toIso(lastDeliveryAt), type: lastType ?? '', connection: lastConnection },
    lastRefusal:
      lastRefusalAt === null || lastRefusal === null
        ? null
        : { at: toIso(lastRefusalAt), reason: lastRefusal, message: toRefusalWords(lastRefusal) },
  };
};

const PATH = '/api/integrations/:provider/webhook';

/** Routes to set up a team's own address for a provider's webhooks. */
export const addressRoutes =
  (context: IntegrationsContext): Routes =>
  (server) => {
    server.get(
      PATH,
      apiRoute('admin', {
        summary: "Show the team's address for a provider's webhooks",
        params: ByProvider,
        response: { 200: AddressView },
      }),
      async (request) =>
        toView(await showAddress(context, { ...callerOf(request), provider: request.params.provider })),
    );

    server.put(
      PATH,
      apiRoute('admin', {
        summary: "Make the team's address for a provider's webhooks, or add a secret",
        description:
          'Without a secret, it makes the address if there is none: many providers show their secret only after they have the address. Up to five secrets, any of which verifies. What arrives becomes `provider.event`.',
        params: ByProvider,
        body: Type.Object(
          { secret: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'Never returned' })) },
          { additionalProperties: false },
        ),
        response: { 200: AddressView },
      }),
      async (request) => {
        const { secret } = request.body;
        const whose = { ...callerOf(request), provider: request.params.provider };
        const given = secret === undefined ? null : new Secret(secret);
        return toView(await putAddress(context, whose, given, actorOf(request)));
      },
    );

    server.delete(
      `${PATH}/secrets/:id`,
      apiRoute('admin', {
        summary: "Remove a secret of the team's address",
        params: Type.Object({ ...ByProvider.properties, id: Type.String({ maxLength: 100 }) }),
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        const { provider, id } = request.params;
        await removeSecret(context, { ...callerOf(request), provider }, id, actorOf(request));
        return reply.code(204).send(null);
      },
    );

    server.post(
      `${PATH}/rotate`,
      apiRoute('admin', {
        summary: 'Make a new address instead of the old one',
        description: 'Nothing is received at the old address from now on. The secrets stay.',
        params: ByProvider,
        response: { 200: AddressView },
      }),
      async (request) =>
        toView(
          await rotateAddress(context, { ...callerOf(request), provider: request.params.provider }, actorOf(request)),
        ),
    );

    server.delete(
      PATH,
      apiRoute('admin', {
        summary: "End the team's address for a provider's webhooks",
        params: ByProvider,
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        const whose = { ...callerOf(request), provider: request.params.provider };
        await removeAddress(context, whose, actorOf(request));
        return reply.code(204).send(null);
      },
    );
  };
