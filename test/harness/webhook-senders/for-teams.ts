import { randomUUID } from 'node:crypto';
import { FORM_TYPE, hmac, JSON_TYPE, type SignAs, toSeconds } from './signing.ts';

/** Providers whose webhooks a team sets up itself, or that only sign the body. Written from their documentation. */

/** https://developers.typeform.com/webhooks/secure-your-webhooks */
export const signAsTypeform: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'typeform-signature': `sha256=${hmac(secret, body, 'base64')}` },
  body,
});

/** https://developers.asana.com/docs/webhooks-guide */
export const signAsAsana: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'x-hook-signature': hmac(secret, body) },
  body,
});

/** https://developer.zendesk.com/documentation/webhooks/verifying */
export const signAsZendesk: SignAs = (body, { secret, now, id = '8350205582', account = '123456' }) => {
  const timestamp = new Date(now).toISOString().replace(/\.\d+/, '');
  return {
    headers: {
      ...JSON_TYPE,
      'x-zendesk-account-id': account,
      'x-zendesk-webhook-id': '01F1KRFQ6BG29CNWFR60NK5FNY',
      'x-zendesk-webhook-invocation-id': id,
      'x-zendesk-webhook-signature': hmac(secret, `${timestamp}${body}`, 'base64'),
      'x-zendesk-webhook-signature-timestamp': timestamp,
    },
    body,
  };
};

/** https://developers.docusign.com/platform/webhooks/connect/hmac. An account can have several keys, which all sign. */
export const signAsDocusign: SignAs = (body, { secret }) => ({
  headers: {
    ...JSON_TYPE,
    'x-authorization-digest': 'HMACSHA256',
    'x-docusign-signature-1': hmac('a key of someone else', body, 'base64'),
    'x-docusign-signature-2': hmac(secret, body, 'base64'),
  },
  body,
});

/** https://github.com/dropbox/mdwebhook */
export const signAsDropbox: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'x-dropbox-signature': hmac(secret, body) },
  body,
});

/** https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks */
export const signAsQuickBooks: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'intuit-signature': hmac(secret, body, 'base64') },
  body,
});

/** https://developer.clickup.com/docs/webhooksignature */
export const signAsClickUp: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'x-signature': hmac(secret, body) },
  body,
});

/** https://developer.paddle.com/webhooks/signature-verification */
export const signAsPaddle: SignAs = (body, { secret, now }) => {
  const seconds = toSeconds(now);
  return {
    headers: { ...JSON_TYPE, 'paddle-signature': `ts=${seconds};h1=${hmac(secret, `${seconds}:${body}`)}` },
    body,
  };
};

/** https://docs.lemonsqueezy.com/help/webhooks/signing-requests */
export const signAsLemonSqueezy: SignAs = (body, { secret, type = 'order_created' }) => ({
  headers: { ...JSON_TYPE, 'x-event-name': type, 'x-signature': hmac(secret, body) },
  body,
});

/** https://airtable.com/developers/web/api/webhooks-overview. The secret is decoded from base64. */
export const signAsAirtable: SignAs = (body, { secret }) => ({
  headers: { ...JSON_TYPE, 'x-airtable-content-mac': `hmac-sha256=${hmac(Buffer.from(secret, 'base64'), body)}` },
  body,
});

/** https://developers.webflow.com/data/v1.0.0/docs/verifying-webhook-signatures */
export const signAsWebflow: SignAs = (body, { secret, now }) => ({
  headers: { ...JSON_TYPE, 'x-webflow-timestamp': String(now), 'x-webflow-signature': hmac(secret, `${now}:${body}`) },
  body,
});

/** https://developer.atlassian.com/cloud/jira/platform/webhooks */
export const signAsAtlassian: SignAs = (body, { secret, id = randomUUID() }) => ({
  headers: {
    ...JSON_TYPE,
    'x-atlassian-webhook-identifier': id,
    'x-hub-signature': `sha256=${hmac(secret, body)}`,
  },
  body,
});

/** https://bitbucket.org/blog/enhanced-webhook-security */
export const signAsBitbucket: SignAs = (body, { secret, type = 'repo:push', id = randomUUID() }) => ({
  headers: {
    ...JSON_TYPE,
    'x-event-key': type,
    'x-request-uuid': id,
    'x-hub-signature': `sha256=${hmac(secret, body)}`,
  },
  body,
});

/** https://dev.twitch.tv/docs/eventsub/handling-webhook-events. Times have nanoseconds. */
export const signAsTwitch: SignAs = (body, { secret, now, id = randomUUID(), type = 'notification' }) => {
  const timestamp = new Date(now).toISOString().replace('Z', '634234Z');
  return {
    headers: {
      ...JSON_TYPE,
      'twitch-eventsub-message-id': id,
      'twitch-eventsub-message-timestamp': timestamp,
      'twitch-eventsub-message-type': type,
      'twitch-eventsub-message-signature': `sha256=${hmac(secret, `${id}${timestamp}${body}`)}`,
    },
    body,
  };
};

/** https://mailchimp.com/developer/marketing/guides/sync-audience-data-webhooks. Nothing is signed. */
export const sendAsMailchimp: SignAs = (body) => ({ headers: FORM_TYPE, body });
