import type { FastifyRequest } from 'fastify';
import {
  createStrangerGate,
  LIMITS,
  type Routes,
  rateLimited,
  routeOptions,
  useRawBody,
  waitBeforeBody,
} from '../../http/index.ts';
import { type Refusal, type Secret, Type } from '../../platform/index.ts';
import { getOauthProvider } from '../catalogue/catalogue.ts';
import { type Webhook, webhookUrlOf } from '../catalogue/provider-webhook.ts';
import { webhookSettingOf } from '../catalogue/settings-of.ts';
import type { IntegrationsContext } from '../context.ts';
import { providerUnknown } from '../errors.ts';
import { createSignatureCheck, type SignatureCheck } from './check-signature.ts';
import {
  messageMalformed,
  tooManyMessages,
  webhookNotReceived,
  webhookNotSetUp,
  webhookSignatureInvalid,
} from './errors.ts';
import { readMessage } from './read-message.ts';
import { withdrawAccess } from './withdraw-access.ts';

/** The secrets that the operator has set for webhooks, by provider. */
export type WebhookSecrets = ReadonlyMap<string, readonly Secret[]>;

type Receiver = { webhook: Webhook; isSigned: SignatureCheck };

const NOTHING = Buffer.alloc(0);
const OK = { status: 'ok' };
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:\s*;|\s*$)/i;

const signed = routeOptions('signed', 'webhooks');

/**
 * Creates a receiver for each provider that signs its messages and whose secret is set. Other messages aren't accepted.
 */
const createReceivers = ({ catalogue, url }: IntegrationsContext, secrets: WebhookSecrets): Map<string, Receiver> =>
  new Map(
    [...secrets].flatMap(([id, ofProvider]): [string, Receiver][] => {
      const webhook = getOauthProvider(catalogue, id)?.record.webhook;
      if (!webhook?.signature || ofProvider.length === 0) return [];
      const isSigned = createSignatureCheck(webhook.signature, ofProvider, webhookUrlOf(url, id));
      return [[id, { webhook, isSigned }]];
    }),
  );

/** Routes where providers report that access was withdrawn. Callers are identified only by the signature. */
export const withdrawalRoutes =
  (context: IntegrationsContext, secrets: WebhookSecrets): Routes =>
  (server) => {
    const { catalogue, clock } = context;
    const receivers = createReceivers(context, secrets);
    useRawBody(server);
    const gate = createStrangerGate({ clock, tooBusy: tooManyMessages });
    server.addHook('onRequest', waitBeforeBody(gate));

    const whyNot = (provider: string): Refusal => {
      if (!catalogue.has(provider)) return providerUnknown();
      const isReceivable = getOauthProvider(catalogue, provider)?.record.webhook?.signature;
      return isReceivable ? webhookNotSetUp(webhookSettingOf(provider)) : webhookNotReceived();
    };

    const toRefusal = (request: FastifyRequest, refusal: Refusal): Refusal => {
      const waitSeconds = gate.refused(request);
      return waitSeconds > 0 ? rateLimited(waitSeconds) : refusal;
    };

    server.post(
      '/api/webhooks/integrations/:provider',
      signed({
        summary: 'Take note that access was withdrawn at the provider',
        description:
          'Called by the provider, with JSON. The secrets in `OAUTH_<PROVIDER>_WEBHOOK_SECRET` verify the request. The response is the same whether or not the account is connected here. A challenge is answered with its own field.',
        params: Type.Object({ provider: Type.String() }),
        response: { 200: Type.Record(Type.String(), Type.String()) },
      }),
      async (request) => {
        const { provider } = request.params;
        const receiver = receivers.get(provider);
        if (!receiver) throw toRefusal(request, whyNot(provider));
        const body = Buffer.isBuffer(request.body) ? request.body : NOTHING;
        const turn = gate.beforeReading(request, { bytes: body.length, isLight: body.length <= LIMITS.smallBytes });
        if (turn) await turn;
        const now = clock.now();
        if (!receiver.isSigned(request.headers, body, now)) throw toRefusal(request, webhookSignatureInvalid());
        const message = JSON_TYPE.test(request.headers['content-type'] ?? '')
          ? readMessage(receiver.webhook, body, now)
          : null;
        if (!message) throw messageMalformed();
        if (message.kind === 'challenge') return message.reply;
        if (message.kind === 'withdrawal') await withdrawAccess(context, provider, message.withdrawal);
        return OK;
      },
    );
  };
