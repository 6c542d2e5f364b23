import '@shopify/shopify-api/adapters/node';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { verify } from '@octokit/webhooks-methods';
import { LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import sendgrid from '@sendgrid/eventwebhook';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import bolt from '@slack/bolt';
import { WebhooksHelper } from 'square';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import type { SignedMessage, Signing } from './signing.ts';
import { URL_OF_OURS } from './signing.ts';

/** Whether the vendor's own library accepts a message. */
export type VerifyAs = (message: SignedMessage, signing: Signing) => boolean | Promise<boolean>;

const accepts = (verifies: () => unknown): boolean => {
  try {
    verifies();
    return true;
  } catch {
    return false;
  }
};

export const verifyAsGitHub: VerifyAs = ({ headers, body }, { secret }) =>
  verify(secret, body, headers['x-hub-signature-256'] ?? '');

export const verifyAsStripe: VerifyAs = ({ headers, body }, { secret, now }) =>
  accepts(() => Stripe.webhooks.constructEvent(body, headers['stripe-signature'] ?? '', secret, 300, undefined, now));

export const verifyAsSlack: VerifyAs = ({ headers, body }, { secret, now }) =>
  bolt.isValidSlackRequest({
    signingSecret: secret,
    body,
    headers: {
      'x-slack-signature': headers['x-slack-signature'] ?? '',
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    },
    nowMilliseconds: now,
  });

export const verifyAsSquare: VerifyAs = ({ headers, body }, { secret, url = URL_OF_OURS }) =>
  WebhooksHelper.verifySignature({
    requestBody: body,
    signatureHeader: headers['x-square-hmacsha256-signature'] ?? '',
    signatureKey: secret,
    notificationUrl: url,
  });

export const verifyAsShopify: VerifyAs = async ({ headers, body }, { secret }) => {
  const api = shopifyApi({
    ...{ apiKey: 'key', apiSecretKey: secret, apiVersion: ApiVersion.January26, hostName: 'patchbay.example' },
    ...{ isEmbeddedApp: false, logger: { level: LogSeverity.Error, log: async () => {} } },
  });
  const rawRequest = { url: URL_OF_OURS, method: 'POST', headers };
  return (await api.webhooks.validate({ rawBody: body, rawRequest })).valid;
};

/** The library takes the time from the clock of the machine. */
export const verifyAsLinear: VerifyAs = ({ headers, body }, { secret }) =>
  accepts(() => new LinearWebhookClient(secret).verify(Buffer.from(body), headers['linear-signature'] ?? ''));

/** The library takes the time from the clock of the machine. */
export const verifyAsGitLab: VerifyAs = ({ headers, body }, { secret }) =>
  accepts(() => new Webhook(secret).verify(body, headers));

/** The library takes the time from the clock of the machine. */
export const verifyAsPaddle: VerifyAs = ({ headers, body }, { secret }) =>
  new Paddle('key', { logLevel: LogLevel.none }).webhooks.isSignatureValid(
    body,
    secret,
    headers['paddle-signature'] ?? '',
  );

/** Here the secret is the public key, as SendGrid shows it. */
export const verifyAsSendGrid: VerifyAs = ({ headers, body }, { secret }) => {
  const verifier = new sendgrid.EventWebhook();
  const { SIGNATURE, TIMESTAMP } = sendgrid.EventWebhookHeader;
  return verifier.verifySignature(
    verifier.convertPublicKeyToECDSA(secret),
    body,
    headers[SIGNATURE().toLowerCase()] ?? '',
    headers[TIMESTAMP().toLowerCase()] ?? '',
  );
};
