import { randomUUID } from 'node:crypto';
import { FORM_TYPE, hmac, JSON_TYPE, type SignAs, type Signing, toSeconds, URL_OF_OURS } from './signing.ts';

/**
 * Written from the providers' documentation, and from nothing of ours. `verified-by-sdk.ts` and the examples in the
 * providers' pages prove them, where there are any.
 */

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
const slackHeaders = (body: string, { secret, now }: Signing) => {
  const seconds = toSeconds(now);
  return { 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${hmac(secret, `v0:${seconds}:${body}`)}` };
};

export const signAsSlack: SignAs = (body, signing) => ({
  headers: { ...JSON_TYPE, ...slackHeaders(body, signing) },
  body,
});

/** Interactions and slash commands are sent as forms. */
export const signAsSlackForm: SignAs = (body, signing) => ({
  headers: { ...FORM_TYPE, ...slackHeaders(body, signing) },
  body,
});

/** https://shopify.dev/docs/apps/build/webhooks/verify-deliveries */
export const signAsShopify: SignAs = (
  body,
  { secret, now, type = 'orders/create', id = randomUUID(), account = 'a-shop.myshopify.com' },
) => ({
  headers: {
    ...JSON_TYPE,
    'x-shopify-api-version': '2026-01',
    'x-shopify-hmac-sha256': hmac(secret, body, 'base64'),
    'x-shopify-shop-domain': account,
    'x-shopify-topic': type,
    'x-shopify-triggered-at': new Date(now).toISOString(),
    'x-shopify-webhook-id': id,
  },
  body,
});

/** https://developer.squareup.com/docs/webhooks/step3validate */
export const signAsSquare: SignAs = (body, { secret, url = URL_OF_OURS }) => ({
  headers: {
    ...JSON_TYPE,
    'square-environment': 'Production',
    'x-square-hmacsha256-signature': hmac(secret, `${url}${body}`, 'base64'),
  },
  body,
});

/** https://linear.app/developers/webhooks. The time is in the body, and Linear sends it in a header as well. */
export const signAsLinear: SignAs = (body, { secret, now, type = 'Issue', id = randomUUID() }) => ({
  headers: {
    ...JSON_TYPE,
    'linear-delivery': id,
    'linear-event': type,
    'linear-signature': hmac(secret, body),
    'linear-timestamp': String(now),
  },
  body,
});

/** https://developer.xero.com/documentation/guides/webhooks/overview */
export const signAsXero: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'x-xero-signature': hmac(secret, body, 'base64') },
  body,
});

/** https://developers.zoom.us/docs/api/webhooks */
export const signAsZoom: SignAs = (body, { secret, now }) => {
  const seconds = toSeconds(now);
  const signature = `v0=${hmac(secret, `v0:${seconds}:${body}`)}`;
  return { headers: { ...JSON_TYPE, 'x-zm-request-timestamp': seconds, 'x-zm-signature': signature }, body };
};

/** https://developers.intercom.com/docs/webhooks */
export const signAsIntercom: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'x-hub-signature': `sha1=${hmac(secret, body, 'hex', 'sha1')}` },
  body,
});

/** https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures */
export const signAsCalendly: SignAs = (body, { secret, now }) => {
  const seconds = toSeconds(now);
  const header = `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}`;
  return { headers: { ...JSON_TYPE, 'calendly-webhook-signature': header }, body };
};
