import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Routes, routeOptions, useRawBody, waitBeforeBody } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import type { Delivery } from '../contract/delivery.ts';
import type { ReplyDocument } from '../contract/provider.ts';
import { webhookPath } from '../contract/webhook-url.ts';
import { deliverySignatureInvalid } from '../errors.ts';
import { receiveDelivery } from './receive-delivery.ts';
import { receiveSetupTest } from './receive-setup-test.ts';
import type { ReceiverContext } from './receiver-context.ts';
import { TEST_HEADER } from './setup-test.ts';
import { createStrangerLimit } from './stranger-limit.ts';

const NOTHING = Buffer.alloc(0);

const Health = Type.Object({ status: Type.String(), endpoint: Type.String() });

const toDelivery = (request: FastifyRequest, route: Delivery['route'], method: Delivery['method']): Delivery => ({
  route,
  method,
  target: request.raw.url ?? '',
  headers: request.headers,
  body: Buffer.isBuffer(request.body) ? request.body : NOTHING,
});

const send = (reply: FastifyReply, { status, contentType, body }: ReplyDocument): FastifyReply => {
  if (contentType !== null) reply.header('content-type', contentType);
  return reply.code(status).serializer(String).send(body);
};

const signed = routeOptions('signed', 'webhooks');
const description =
  'Called by the telephony provider. `?account=` names the account, and its secret verifies the request.';
/** Response to a webhook. For a status or a recording, most providers get an empty one. */
const response = {
  200: {
    description: "What to do next, in the provider's own language",
    content: { '*/*': { schema: Type.Unknown() } },
  },
};
const about = {
  voice: {
    get: 'Answer a call by GET, or respond to a health check',
    post: 'Answer or continue a call, or record its status',
  },
  recording: {
    get: 'Health check. Also accepts deliveries by GET',
    post: 'Register a recording, to be fetched later',
  },
} as const;

/** Routes to which telephony providers send webhooks. Only the signature shows who sent one. */
export const webhookRoutes =
  (context: ReceiverContext): Routes =>
  (server) => {
    useRawBody(server);
    const strangers = createStrangerLimit(context);
    server.addHook('onRequest', waitBeforeBody(strangers));

    const receive = async (request: FastifyRequest, delivery: Delivery): Promise<ReplyDocument | null> => {
      const turn = strangers.beforeReading(request, delivery);
      if (turn) await turn;
      const seen = TEST_HEADER in request.headers ? await receiveSetupTest(context, delivery) : null;
      return seen ?? receiveDelivery(context, delivery, strangers.judge(request, delivery));
    };

    for (const route of ['voice', 'recording'] as const) {
      server.get(
        webhookPath(route),
        signed({ summary: about[route].get, description, response: { 200: Health } }),
        async (request, reply) => {
          const document = await receive(request, toDelivery(request, route, 'GET'));
          return document ? send(reply, document) : { status: 'ok', endpoint: `telephony.${route}` };
        },
      );

      server.post(
        webhookPath(route),
        signed({ summary: about[route].post, description, response }),
        async (request, reply) => {
          const document = await receive(request, toDelivery(request, route, 'POST'));
          if (!document) throw deliverySignatureInvalid();
          return send(reply, document);
        },
      );
    }
  };
