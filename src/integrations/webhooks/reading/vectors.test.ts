import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readWebhook, webhookOf } from '../../../../test/harness/read-webhook.ts';

/** A signed message that someone has published. */
type Vector = {
  from: string;
  provider: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  url?: string;
  now?: string;
};

const VECTORS: readonly Vector[] = [
  {
    from: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
    provider: 'github',
    secret: "It's a Secret to Everybody",
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
  },
  {
    from: 'the tests of standard-webhooks/standard-webhooks, whose scheme GitLab uses',
    provider: 'gitlab',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    now: '2021-02-25T15:02:10Z',
  },
  {
    from: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
    provider: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    now: '2018-07-12T18:36:58Z',
  },
  {
    from: "the tests of Square's own SDKs",
    provider: 'square',
    secret: 'Ibxx_5AKakO-3qeNVR61Dw',
    url: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
    headers: { 'x-square-hmacsha256-signature': 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=' },
    body: '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}',
  },
  {
    from: 'https://developer.squareup.com/docs/webhooks/step3validate, as clients quote it',
    provider: 'square',
    secret: 'asdf1234',
    url: 'https://example.com/webhook',
    headers: { 'x-square-hmacsha256-signature': '2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=' },
    body: '{"hello":"world"}',
  },
  {
    from: 'https://developer.atlassian.com/cloud/jira/platform/webhooks, as clients quote it',
    provider: 'atlassian',
    secret: "It's a Secret to Everybody",
    headers: { 'x-hub-signature': 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9' },
    body: 'Hello World!',
  },
  {
    from: "a client's test, with the secret that Zendesk prints",
    provider: 'zendesk',
    secret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
    headers: {
      'x-zendesk-webhook-signature': 'S/RDdU2ERmj7LHDDoWJ2onPYH+t7/f2+LTM4dL7UiLM=',
      'x-zendesk-webhook-signature-timestamp': '2021-03-25T05:09:27Z',
    },
    body: '{"event":"ticket.updated","id":123}',
    now: '2021-03-25T05:10:27Z',
  },
  {
    from: 'the tests of sendgrid/sendgrid-nodejs',
    provider: 'sendgrid',
    secret:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    headers: {
      'x-twilio-email-event-webhook-signature':
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
      'x-twilio-email-event-webhook-timestamp': '1600112502',
    },
    body: '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
    now: '2020-09-14T19:41:42Z',
  },
  {
    from: 'the example of PaddleHQ/paddle-go-sdk',
    provider: 'paddle',
    secret: 'pdl_ntfset_01hsdn8d43dt7mezr1ef2jtbaw_hKkRiCGyyRhbFwIUuqiTBgI7gnWoV0Gr',
    headers: {
      'paddle-signature': 'ts=1710929255;h1=6c05ef8fa83c44d751be6d259ec955ce5638e2c54095bf128e408e2fce1589c8',
    },
    body: '{"data":{"id":"pri_01hsdn96k2hxjzsq5yerecdj9j","name":null,"status":"active","quantity":{"maximum":999999,"minimum":1},"tax_mode":"account_setting","product_id":"pro_01hsdn8qp7yydry3x1yeg6a9rv","unit_price":{"amount":"1000","currency_code":"USD"},"custom_data":null,"description":"testing","import_meta":null,"trial_period":null,"billing_cycle":{"interval":"month","frequency":1},"unit_price_overrides":[]},"event_id":"evt_01hsdn97563968dy0szkmgjwh3","event_type":"price.created","occurred_at":"2024-03-20T10:07:35.590857Z","notification_id":"ntf_01hsdn977e920kbgzt6r6c9rqc"}',
    now: '2024-03-20T10:07:35Z',
  },
  {
    from: 'the tests of PaddleHQ/paddle-node-sdk, with several signatures',
    provider: 'paddle',
    secret: 'VALID_SECRET',
    headers: {
      'paddle-signature':
        'ts=1698796800;h1=28981e941fae76e53db32f3d2a83cb69db41476595e84e1970a1b5d98f62b261;h1=28981e941fae76e53db32f3d2a83cb69db41476595e84e1970a1b5d98f62b261;h2=RANDOM_HASH',
    },
    body: '{"data": "value"}',
    now: '2023-11-01T00:00:00Z',
  },
  {
    from: 'the tests of gtalarico/pyairtable',
    provider: 'airtable',
    secret: 'c2VjcmV0LWtleQ==',
    headers: {
      'x-airtable-content-mac': 'hmac-sha256=e26da696a90933647bddc83995c3e1e3bb1c3d8ce1ff61cb7469767d50b2b2d4',
    },
    body: '{"base": {"id": "app00000000000000"}, "webhook": {"id": "ach00000000000000"}, "timestamp": "2022-02-01T21:25:05.663Z"}',
  },
];

describe('a published signature', () => {
  for (const {
    from,
    provider,
    secret,
    headers,
    body,
    url = 'https://ours.example',
    now = '2026-11-19T12:00:00Z',
  } of VECTORS)
    test(`of ${provider} is valid, from ${from}`, async () => {
      const read = (sent: string) =>
        readWebhook(webhookOf(provider), { headers, body: sent, url }, { secrets: [secret], now: Date.parse(now) });
      // Some of the examples aren't JSON.
      assert.match((await read(body)).kind, /^(?:items|malformed)$/);
      assert.equal((await read(`${body}\n`)).kind, 'refused');
    });
});
