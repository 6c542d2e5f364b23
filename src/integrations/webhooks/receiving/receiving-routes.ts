import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  createStrangerGate,
  LIMITS,
  type Routes,
  rateLimited,
  routeOptions,
  type Server,
  strangerKey,
  useRawBody,
  waitBeforeBody,
} from '../../../http/index.ts';
import { createTurns, type Refusal, Type } from '../../../platform/index.ts';
import { getOauthProvider } from '../../catalogue/catalogue.ts';
import { webhookSettingOf } from '../../catalogue/settings-of.ts';
import { providerUnknown } from '../../errors.ts';
import {
  tooManyMessages,
  webhookAddressUnknown,
  webhookNotReceived,
  webhookNotSetUp,
  webhookSignatureInvalid,
} from '../errors.ts';
import { couldBeSigned } from '../reading/check-signature.ts';
import type { Message } from '../reading/message.ts';
import { MOST_READ_HERE, type ReceiveContext, receiveMessage } from './receive-message.ts';
import type { Receiver } from './receiver.ts';
import type { TeamReceivers } from './team-receivers.ts';

export type ReceivedAt = { operator: ReadonlyMap<string, Receiver>; teams: TeamReceivers };

/** A message above `MOST_READ_HERE` bytes has to wait for its turn: one per address, and few in all. */
const LARGE = { atOnce: 2, perOwner: 1, patienceMs: 30_000, refuse: tooManyMessages };

const NOTHING = Buffer.alloc(0);
const PATH = '/api/webhooks/integrations/';

const signed = routeOptions('signed', 'webhooks');
const response = {
  200: {
    description: 'Received. Empty, or what a handshake asks for',
    content: { '*/*': { schema: Type.Unknown() } },
  },
};

type Asked = { provider: string; address: string | null };

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : NOTHING);

const toMessage = (request: FastifyRequest, { url }: Receiver): Message => ({
  method: request.method === 'POST' ? 'POST' : 'GET',
  url,
  query: (request.raw.url ?? '').split('?').slice(1).join('?'),
  headers: request.headers,
  body: bodyOf(request),
});

const lengthOf = ({ headers }: FastifyRequest): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;

/** Routes to which providers send webhooks, to the operator's address or to a team's. Only the secret shows who sent one. */
export const receivingRoutes =
  (context: ReceiveContext, { operator, teams }: ReceivedAt): Routes =>
  (server) => {
    const { catalogue, clock } = context;
    useRawBody(server);
    const gate = createStrangerGate({ clock, tooBusy: tooManyMessages });
    const largeTurns = createTurns(LARGE);
    const heldBy = new WeakMap<FastifyRequest, () => void>();
    server.addHook('onRequest', waitBeforeBody(gate));

    const whyNot = ({ provider, address }: Asked): Refusal => {
      if (!catalogue.has(provider)) return providerUnknown();
      if (address !== null) return webhookAddressUnknown();
      const webhook = getOauthProvider(catalogue, provider)?.record.webhook;
      return webhook?.operator ? webhookNotSetUp(webhookSettingOf(provider)) : webhookNotReceived();
    };

    const toRefusal = (request: FastifyRequest, refusal: Refusal): Refusal => {
      const waitSeconds = gate.refused(request);
      return waitSeconds > 0 ? rateLimited(waitSeconds) : refusal;
    };

    const findReceiver = async (request: FastifyRequest, asked: Asked): Promise<Receiver> => {
      const { provider, address } = asked;
      const found = address === null ? operator.get(provider) : await teams.find(provider, address);
      if (!found) throw toRefusal(request, whyNot(asked));
      return found;
    };

    const receive = async (request: FastifyRequest, reply: FastifyReply, asked: Asked): Promise<FastifyReply> => {
      const bytes = bodyOf(request).length;
      const turn = gate.beforeReading(request, {
        bytes: Math.min(bytes, LIMITS.webhookBytes),
        isLight: bytes <= LIMITS.smallBytes,
      });
      // Even looking an address up has to wait for somebody who has sent many that were refused.
      if (turn) await turn;
      const receiver = await findReceiver(request, asked);
      const received = await receiveMessage(context, receiver, toMessage(request, receiver));
      if ('refused' in received) throw toRefusal(request, webhookSignatureInvalid(receiver.webhook.refusedWith ?? 403));
      const { contentType, headers, body } = received;
      if (contentType !== null) reply.header('content-type', contentType);
      return reply.headers(headers).code(200).serializer(String).send(body);
    };

    /** Lets a large message wait before its body is read. Refuses one that can't be signed. */
    const waitForLarge =
      (asked: (request: FastifyRequest) => Asked) => async (request: FastifyRequest, reply: FastifyReply) => {
        if (lengthOf(request) <= MOST_READ_HERE) return;
        const receiver = await findReceiver(request, asked(request));
        if (!couldBeSigned(receiver.webhook.signatures, toMessage(request, receiver)))
          throw toRefusal(request, webhookSignatureInvalid(receiver.webhook.refusedWith ?? 403));
        const end = await largeTurns.take(
          { owner: receiver.id, member: strangerKey(request.ip) },
          () => reply.raw.closed,
        );
        heldBy.set(request, end);
        // A request that ends before it's handled gives its turn back. Otherwise, that happens when all is done.
        if (reply.raw.closed) end();
        else reply.raw.once('close', () => heldBy.get(request)?.());
      };

    const addRoutes = (scope: Server, provider: string | null, mostBytes: number): void => {
      const path = `${PATH}${provider ?? ':provider'}`;
      const ofProvider = provider === null ? { provider: Type.String() } : {};
      const askedBy = ({ params: of }: FastifyRequest): Asked => {
        const { provider: named, address } = of as { provider?: string; address?: string };
        return { provider: provider ?? named ?? '', address: address ?? null };
      };
      const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const end = heldBy.get(request);
        heldBy.delete(request);
        try {
          return await receive(request, reply, askedBy(request));
        } finally {
          end?.();
        }
      };
      const own = { bodyLimit: mostBytes, onRequest: mostBytes > MOST_READ_HERE ? [waitForLarge(askedBy)] : [] };
      for (const [suffix, whose, params] of [
        ['', "the operator's address", Type.Object(ofProvider)],
        ['/:address', "a team's address", Type.Object({ ...ofProvider, address: Type.String() })],
      ] as const) {
        const describe = (summary: string, description: string) => {
          const options = signed({ summary, description, params, response });
          return { ...options, schema: { ...options.schema, ...(provider === null ? {} : { hide: true }) } };
        };
        scope.route({
          method: ['GET', 'HEAD'],
          url: `${path}${suffix}`,
          ...describe(
            `Check ${whose} for a provider's webhooks`,
            'Called by the provider. A challenge is answered as the provider wants it.',
          ),
          handler: handle,
        });
        scope.post(
          `${path}${suffix}`,
          {
            ...describe(
              `Receive a provider's webhook at ${whose}`,
              'Called by the provider. What happened becomes an event of the team that it is about, and the response is empty.',
            ),
            ...own,
          },
          handle,
        );
      }
    };

    addRoutes(server, null, LIMITS.webhookBytes);
    for (const { record } of catalogue.values()) {
      const mostBytes = record.webhook?.mostBytes ?? 0;
      if (mostBytes > LIMITS.webhookBytes) addRoutes(server, record.id, mostBytes);
    }
  };
