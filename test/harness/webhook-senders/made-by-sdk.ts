import { randomUUID } from 'node:crypto';
import { Signature } from '@hubspot/api-client';
import { sign } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import {
  type Headers,
  JSON_TYPE,
  type SignAs,
  type SignedMessage,
  type Signing,
  toSeconds,
  URL_OF_OURS,
} from './signing.ts';

/** These signatures are made by the vendors' own libraries. */

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export const signAsGitHub = async (
  body: string,
  { secret, type = 'push', id = randomUUID() }: Signing,
): Promise<SignedMessage> => ({
  headers: {
    ...JSON_TYPE,
    'x-github-event': type,
    'x-github-delivery': id,
    'x-hub-signature-256': await sign(secret, body),
  },
  body,
});

/** https://docs.stripe.com/webhooks */
export const signAsStripe: SignAs = (body, { secret, now }) => {
  const timestamp = Number(toSeconds(now));
  const header = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return { headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': header }, body };
};

/** https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation */
export const signAsHubSpot: SignAs = (body, { secret, now, url = URL_OF_OURS }) => {
  const options = { clientSecret: secret, requestBody: body, signature: '', url, timestamp: now };
  const headers: Headers = {
    ...JSON_TYPE,
    'x-hubspot-request-timestamp': String(now),
    'x-hubspot-signature-version': 'v2',
    'x-hubspot-signature': Signature.getSignature('POST', 'v2', options),
    'x-hubspot-signature-v3': Signature.getSignature('POST', 'v3', options),
  };
  return { headers, body };
};

/** GitLab with a signing token: https://www.standardwebhooks.com */
export const signAsGitLab: SignAs = (body, { secret, now, type = 'Push Hook', id = randomUUID() }) => ({
  headers: {
    ...JSON_TYPE,
    'x-gitlab-event': type,
    'idempotency-key': id,
    'webhook-id': id,
    'webhook-timestamp': toSeconds(now),
    'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
  },
  body,
});

/** GitLab without a signing token: https://docs.gitlab.com/user/project/integrations/webhooks */
export const tellAsGitLab: SignAs = (body, { secret, type = 'Push Hook', id = randomUUID() }) => ({
  headers: { ...JSON_TYPE, 'x-gitlab-event': type, 'x-gitlab-event-uuid': id, 'x-gitlab-token': secret },
  body,
});
