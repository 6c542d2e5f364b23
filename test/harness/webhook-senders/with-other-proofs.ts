import { createPrivateKey, sign } from 'node:crypto';
import { SignJWT } from 'jose';
import { JSON_TYPE, type SignAs, type SignedMessage, type Signing, toSeconds, URL_OF_OURS } from './signing.ts';

/** Providers that prove a message with something else than an HMAC over it. */

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events. `secret` is the private key. */
export const signAsSendGrid: SignAs = (body, { secret, now }) => {
  const seconds = toSeconds(now);
  const signature = sign('sha256', Buffer.from(`${seconds}${body}`), createPrivateKey(secret));
  return {
    headers: {
      ...JSON_TYPE,
      'x-twilio-email-event-webhook-signature': signature.toString('base64'),
      'x-twilio-email-event-webhook-timestamp': seconds,
    },
    body,
  };
};

/** https://discord.com/developers/docs/events/webhook-events. `secret` is the private key. */
export const signAsDiscord: SignAs = (body, { secret, now }) => {
  const seconds = toSeconds(now);
  const signature = sign(null, Buffer.from(`${seconds}${body}`), createPrivateKey(secret));
  const headers = { 'x-signature-ed25519': signature.toString('hex'), 'x-signature-timestamp': seconds };
  return { headers: { ...JSON_TYPE, ...headers }, body };
};

/** https://developer.monday.com/apps/docs/authorization-header. The JWT is not over the body, and contains another. */
export const signAsMonday = async (
  body: string,
  { secret, now, url = URL_OF_OURS, account = '1825529' }: Signing,
): Promise<SignedMessage> => {
  const issued = Math.floor(now / 1_000);
  const claims = {
    accountId: Number(account),
    userId: 4012689,
    aud: url,
    shortLivedToken: `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(600)}`,
  };
  const jwt = new SignJWT({ ...claims, iat: issued, exp: issued + 300 }).setProtectedHeader({
    alg: 'HS256',
    typ: 'JWT',
  });
  return { headers: { ...JSON_TYPE, authorization: await jwt.sign(Buffer.from(secret)) }, body };
};

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks. The secret is in each item of the body. */
export const tellAsMicrosoft: SignAs = (body, { secret }) => {
  const { value } = JSON.parse(body) as { value: object[] };
  const items = value.map((item) => ({ ...item, clientState: secret }));
  return { headers: JSON_TYPE, body: JSON.stringify({ value: items }) };
};
