import { createHmac, randomUUID } from 'node:crypto';

/** Written from the providers' documentation, and from nothing of ours. */

export type Sent = { path: string; headers: Record<string, string>; body: string };

const PATH = '/api/webhooks/integrations/';
const JSON_TYPE = { 'content-type': 'application/json' };

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const signAsSlack = (body: string, secret: string, seconds: number): Sent => {
  const signature = createHmac('sha256', secret).update(`v0:${seconds}:${body}`, 'utf8').digest('hex');
  const headers = { 'x-slack-request-timestamp': `${seconds}`, 'x-slack-signature': `v0=${signature}` };
  return { path: `${PATH}slack`, headers: { ...JSON_TYPE, ...headers }, body };
};

/** https://docs.slack.dev/reference/events/tokens_revoked */
export const slackEvent = (event: object, { team, seconds }: { team: string; seconds: number }): string =>
  JSON.stringify({
    token: 'XXYYZZ',
    team_id: team,
    api_app_id: 'A0001',
    event,
    type: 'event_callback',
    event_id: `Ev${randomUUID()}`,
    event_time: seconds,
  });

/** https://developer.squareup.com/docs/webhooks/step3validate */
export const signAsSquare = (body: string, secret: string, origin = 'http://localhost:3000'): Sent => {
  const hmac = createHmac('sha256', secret);
  hmac.update(`${origin}${PATH}square`).update(body);
  const headers = { 'x-square-hmacsha256-signature': hmac.digest('base64'), 'square-environment': 'Production' };
  return { path: `${PATH}square`, headers: { ...JSON_TYPE, ...headers }, body };
};

/** https://developer.squareup.com/reference/square/webhooks/oauth.authorization.revoked */
export const squareEvent = ({ merchant, at }: { merchant: string; at: number }): string =>
  JSON.stringify({
    merchant_id: merchant,
    type: 'oauth.authorization.revoked',
    event_id: randomUUID(),
    created_at: new Date(at).toISOString(),
    data: {
      type: 'revocation',
      id: 'f8d8c2a5-0000-4000-8000-000000000002',
      object: { revocation: { revoked_at: new Date(at).toISOString(), revoker_type: 'MERCHANT' } },
    },
  });
