import type { VerifyAs } from './webhook-senders/verified-by-sdk.ts';
import * as verified from './webhook-senders/verified-by-sdk.ts';
import type { SignAs } from './webhook-senders.ts';
import * as sender from './webhook-senders.ts';

/** A message of a provider as its documentation shows it, and what it means. */
export type WebhookCase = {
  provider: string;
  /** What the sender signs with, and what is entered here if that is something else. */
  secret: string;
  configured?: string;
  sign: SignAs;
  /** The vendor's own library, if it has one that verifies. */
  verify?: VerifyAs;
  /** The body, which may contain the time at which it is sent. */
  body: (now: number) => string;
  /** The header with the signature, and the algorithm's name or version in it. */
  header: string;
  named?: string;
  /** Whether a list of signatures may be in the header. */
  severalFit?: true;
  coversUrl?: true;
  /** There is another header with a signature of someone else. */
  hasOther?: true;
  /** The greatest age of a message. A JWT says by itself when it expires. */
  seconds?: number | 'by itself';
  verified?: 'signature' | 'token';
  means: { type: string; id: string | null; account?: string[]; installation?: string[]; host?: string[] };
};

const json = (value: unknown) => () => JSON.stringify(value);

export const WEBHOOK_CASES: readonly WebhookCase[] = [
  {
    provider: 'github',
    secret: "It's a Secret to Everybody",
    sign: (body, signing) => sender.signAsGitHub(body, { ...signing, type: 'issues', id: 'delivery-1' }),
    verify: verified.verifyAsGitHub,
    body: json({ action: 'opened', issue: { number: 1347 }, sender: { login: 'octocat', id: 583231 } }),
    header: 'x-hub-signature-256',
    named: 'sha256=',
    means: { type: 'issues', id: 'delivery-1', account: ['583231'] },
  },
  {
    provider: 'gitlab',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    sign: (body, signing) => sender.signAsGitLab(body, { ...signing, id: 'msg_1' }),
    verify: verified.verifyAsGitLab,
    body: json({ object_kind: 'push', user_id: 4, project_id: 15 }),
    header: 'webhook-signature',
    named: 'v1,',
    severalFit: true,
    seconds: 300,
    means: { type: 'push', id: 'msg_1' },
  },
  {
    provider: 'stripe',
    secret: 'whsec_5f0c6a7d0b1e4c8a9d2e',
    sign: sender.signAsStripe,
    verify: verified.verifyAsStripe,
    body: json({ id: 'evt_1', object: 'event', account: 'acct_1', type: 'charge.succeeded', created: 1_782_000_000 }),
    header: 'stripe-signature',
    named: 'v1=',
    severalFit: true,
    seconds: 300,
    means: { type: 'charge.succeeded', id: 'evt_1', account: ['acct_1'] },
  },
  {
    provider: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    sign: sender.signAsSlack,
    verify: verified.verifyAsSlack,
    body: json({
      ...{ type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event_id: 'Ev1', event_time: 1_782_000_000 },
      ...{ event: { type: 'reaction_added', user: 'U1' }, authorizations: [{ team_id: 'T2', user_id: 'U2' }] },
    }),
    header: 'x-slack-signature',
    named: 'v0=',
    seconds: 300,
    means: { type: 'reaction_added', id: 'Ev1', account: ['T2'] },
  },
  {
    provider: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    sign: sender.signAsSlackForm,
    verify: verified.verifyAsSlack,
    body: () => 'team_id=T1&user_id=U1&command=%2Fdeploy&text=now&trigger_id=398738663015.47445629121.803a0bc887a14d10',
    header: 'x-slack-signature',
    named: 'v0=',
    seconds: 300,
    means: { type: '/deploy', id: null, account: ['T1'] },
  },
  {
    provider: 'shopify',
    secret: 'shpss_6cbb9a7a5a9e4d1c',
    sign: (body, signing) => sender.signAsShopify(body, { ...signing, id: 'b54557e4-bdd9' }),
    verify: verified.verifyAsShopify,
    body: json({ id: 820982911946154500, email: 'jon@example.com' }),
    header: 'x-shopify-hmac-sha256',
    means: { type: 'orders/create', id: 'b54557e4-bdd9', host: ['a-shop.myshopify.com'] },
  },
  {
    provider: 'hubspot',
    secret: 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy',
    sign: sender.signAsHubSpot,
    body: json([
      {
        ...{ eventId: 1, subscriptionId: 12345, portalId: 62515, occurredAt: 1564113600000, attemptNumber: 0 },
        ...{
          subscriptionType: 'contact.creation',
          objectId: 123,
          changeSource: 'CRM',
          changeFlag: 'NEW',
          appId: 54321,
        },
      },
    ]),
    header: 'x-hubspot-signature-v3',
    coversUrl: true,
    seconds: 300,
    means: { type: 'contact.creation', id: '62515.12345.1.1564113600000', account: ['62515'] },
  },
  {
    provider: 'linear',
    secret: 'lin_wh_0f2c7b6a5d',
    sign: (body, signing) => sender.signAsLinear(body, { ...signing, id: '234d1a4e' }),
    verify: verified.verifyAsLinear,
    body: (now) =>
      JSON.stringify({
        ...{ action: 'update', type: 'Issue', actor: { id: 'user-1', type: 'user' }, organizationId: 'org-1' },
        ...{ data: { id: 'issue-1' }, webhookId: 'hook-1', webhookTimestamp: now },
      }),
    header: 'linear-signature',
    seconds: 60,
    means: { type: 'Issue.update', id: '234d1a4e', account: ['user-1'], installation: ['org-1'] },
  },
  {
    provider: 'square',
    secret: 'Ibxx_5AKakO-3qeNVR61Dw',
    sign: sender.signAsSquare,
    verify: verified.verifyAsSquare,
    body: json({ merchant_id: 'M1', type: 'payment.created', event_id: 'e1', created_at: '2026-11-19T12:00:00Z' }),
    header: 'x-square-hmacsha256-signature',
    coversUrl: true,
    means: { type: 'payment.created', id: 'e1', account: ['M1'] },
  },
  {
    provider: 'xero',
    secret: 'OSd0eLlVIY9ZhViEqlDUh4+6n6M+Lo+eDaEJheJ6OCCgWwIz2D3JIAU6jPMipHRbgKTLz2uJ+xiACXGDBLrgdA==',
    sign: sender.signAsXero,
    body: json({
      events: [
        {
          ...{ resourceId: '55d84274', tenantId: 'aef86862', tenantType: 'ORGANISATION' },
          ...{ eventCategory: 'INVOICE', eventType: 'CREATE', eventDateUtc: '2025-12-02T00:44:09.923' },
        },
      ],
      ...{ firstEventSequence: 76, lastEventSequence: 76, entropy: 'FXNGWLCCGVANWHKILRUB' },
    }),
    header: 'x-xero-signature',
    means: { type: 'INVOICE.CREATE', id: '55d84274.CREATE.2025-12-02T00:44:09.923' },
  },
  {
    provider: 'zoom',
    secret: 'Zt0kenOfTheApp22characters',
    sign: sender.signAsZoom,
    body: json({
      event: 'meeting.created',
      event_ts: 1_782_000_000_123,
      payload: { account_id: 'acc-1', operator_id: 'user-2', object: { id: 1234567890, host_id: 'user-1' } },
    }),
    header: 'x-zm-signature',
    named: 'v0=',
    seconds: 300,
    means: { type: 'meeting.created', id: null, account: ['user-1'], installation: ['acc-1'] },
  },
  {
    provider: 'intercom',
    secret: 'b4c6a7d0-client-secret',
    sign: sender.signAsIntercom,
    body: json({ type: 'notification_event', app_id: 'abc123', topic: 'conversation.user.created', id: 'notif_1' }),
    header: 'x-hub-signature',
    named: 'sha1=',
    means: { type: 'conversation.user.created', id: 'notif_1', account: ['abc123'] },
  },
  {
    provider: 'calendly',
    secret: 'a-signing-key-of-the-app',
    sign: sender.signAsCalendly,
    body: json({
      event: 'invitee.created',
      created_at: '2026-11-19T12:00:00.000000Z',
      created_by: 'https://api.calendly.com/users/AAAA',
      payload: { uri: 'https://api.calendly.com/scheduled_events/BBBB/invitees/CCCC' },
    }),
    header: 'calendly-webhook-signature',
    named: 'v1=',
    severalFit: true,
    seconds: 180,
    means: { type: 'invitee.created', id: null, account: ['https://api.calendly.com/users/AAAA'] },
  },
];
