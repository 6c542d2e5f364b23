import { generateKeyPairSync } from 'node:crypto';
import type { WebhookCase } from './webhook-cases.ts';
import * as verified from './webhook-senders/verified-by-sdk.ts';
import * as sender from './webhook-senders.ts';

const json = (value: unknown) => () => JSON.stringify(value);

const PEM = { type: 'pkcs8', format: 'pem' } as const;
const sendgrid = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const discord = generateKeyPairSync('ed25519');
const discordKey = Buffer.from(discord.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');

export const MORE_WEBHOOK_CASES: readonly WebhookCase[] = [
  {
    provider: 'typeform',
    secret: 'abc123',
    sign: sender.signAsTypeform,
    body: json({
      event_id: '01HX',
      event_type: 'form_response',
      form_response: { form_id: 'lT4Z3j', token: 'a3a12ec6' },
    }),
    header: 'typeform-signature',
    named: 'sha256=',
    means: { type: 'form_response', id: '01HX' },
  },
  {
    provider: 'asana',
    secret: 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81',
    sign: sender.signAsAsana,
    body: json({
      events: [{ action: 'changed', user: { gid: '12345' }, resource: { gid: '98765', resource_type: 'task' } }],
    }),
    header: 'x-hook-signature',
    means: { type: 'task.changed', id: null },
  },
  {
    provider: 'zendesk',
    secret: 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==',
    sign: (body, signing) => sender.signAsZendesk(body, { ...signing, id: '8350205582' }),
    body: json({
      account_id: 22129848,
      id: 'cbe4028c',
      type: 'zen:event-type:ticket.created',
      subject: 'zen:ticket:1',
    }),
    header: 'x-zendesk-webhook-signature',
    seconds: 3_600,
    means: { type: 'zen:event-type:ticket.created', id: '8350205582' },
  },
  {
    provider: 'docusign',
    secret: 'a1F5ZrVQ9b0N7PqR2sT4uV6wX8yZ0aB1cD3eF5gH7iJ=',
    sign: sender.signAsDocusign,
    body: json({ event: 'envelope-completed', data: { accountId: 'acc-1', userId: 'user-1', envelopeId: 'env-1' } }),
    header: 'x-docusign-signature-2',
    hasOther: true,
    means: { type: 'envelope-completed', id: null, account: ['user-1'], installation: ['acc-1'] },
  },
  {
    provider: 'dropbox',
    secret: 'an-app-secret',
    sign: sender.signAsDropbox,
    body: json({
      list_folder: { accounts: ['dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'] },
      delta: { users: [12345678] },
    }),
    header: 'x-dropbox-signature',
    means: { type: 'list_folder', id: null, account: ['dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'] },
  },
  {
    provider: 'quickbooks',
    secret: '3fca5f0c-8a3d-4f0a-8a94-7e7b5b1f2d10',
    sign: sender.signAsQuickBooks,
    body: json([
      {
        ...{
          specversion: '1.0',
          id: '88cd52aa-33b6-4351-9aa4-47572edbd068',
          source: 'intuit.dsnBgbseACLLRZNxo2dfc4evm',
        },
        ...{ type: 'qbo.customer.created.v1', datacontenttype: 'application/json', time: '2026-11-19T12:00:00.000Z' },
        ...{ intuitentityid: '1234', intuitaccountid: '310687', data: {} },
      },
    ]),
    header: 'intuit-signature',
    means: { type: 'qbo.customer.created.v1', id: '88cd52aa-33b6-4351-9aa4-47572edbd068', account: ['310687'] },
  },
  {
    provider: 'clickup',
    secret: 'O94IM25S7PXBPYTMNXLLET230SRP0S89COR7B1YOJ2ZIE8WQNK5UUKEF26W0Z5GA',
    sign: sender.signAsClickUp,
    body: json({
      event: 'taskUpdated',
      history_items: [{ id: '2800763136717140857' }],
      task_id: '1vj37mc',
      webhook_id: 'w',
    }),
    header: 'x-signature',
    means: { type: 'taskUpdated', id: null },
  },
  {
    provider: 'paddle',
    secret: 'pdl_ntfset_01hsdn8d43dt7mezr1ef2jtbaw_hKkRiCGyyRhbFwIUuqiTBgI7gnWoV0Gr',
    sign: sender.signAsPaddle,
    verify: verified.verifyAsPaddle,
    body: json({ event_id: 'evt_1', event_type: 'price.created', notification_id: 'ntf_1', data: { id: 'pri_1' } }),
    header: 'paddle-signature',
    named: 'h1=',
    severalFit: true,
    seconds: 60,
    means: { type: 'price.created', id: 'ntf_1' },
  },
  {
    provider: 'lemonsqueezy',
    secret: 'a-signing-secret',
    sign: sender.signAsLemonSqueezy,
    body: json({ meta: { event_name: 'order_created' }, data: { type: 'orders', id: '1' } }),
    header: 'x-signature',
    means: { type: 'order_created', id: null },
  },
  {
    provider: 'airtable',
    secret: 'c2VjcmV0LWtleS1vZi1hLXdlYmhvb2sA',
    sign: sender.signAsAirtable,
    body: json({ base: { id: 'app1' }, webhook: { id: 'ach1' }, timestamp: '2026-11-19T12:00:00.000Z' }),
    header: 'x-airtable-content-mac',
    named: 'hmac-sha256=',
    means: { type: 'changes', id: null },
  },
  {
    provider: 'webflow',
    secret: 'a-client-secret',
    sign: sender.signAsWebflow,
    body: json({ triggerType: 'form_submission', payload: { siteId: '65427cf400e02b306eaa049c' } }),
    header: 'x-webflow-signature',
    seconds: 300,
    means: { type: 'form_submission', id: null },
  },
  {
    provider: 'sendgrid',
    secret: sendgrid.privateKey.export(PEM).toString(),
    configured: sendgrid.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    sign: sender.signAsSendGrid,
    verify: verified.verifyAsSendGrid,
    body: () =>
      `${JSON.stringify([{ email: 'a@example.com', event: 'dropped', sg_event_id: 'ZHJv', timestamp: 1 }])}\r\n`,
    header: 'x-twilio-email-event-webhook-signature',
    seconds: 3_600,
    means: { type: 'dropped', id: 'ZHJv' },
  },
  {
    provider: 'monday',
    secret: 'a-signing-secret-of-the-app',
    sign: sender.signAsMonday,
    body: json({ event: { type: 'create_pulse', userId: 9603417, boardId: 1771812698, triggerUuid: 'b5ed2e17' } }),
    header: 'authorization',
    coversUrl: true,
    seconds: 'by itself',
    verified: 'token',
    means: { type: 'create_pulse', id: 'b5ed2e17', account: ['4012689'], installation: ['1825529'] },
  },
  {
    provider: 'atlassian',
    secret: "It's a Secret to Everybody",
    sign: (body, signing) => sender.signAsAtlassian(body, { ...signing, id: 'delivery-1' }),
    body: json({
      timestamp: 1_782_000_000_123,
      webhookEvent: 'jira:issue_updated',
      user: { accountId: '99:27935d01' },
    }),
    header: 'x-hub-signature',
    named: 'sha256=',
    means: { type: 'jira:issue_updated', id: 'delivery-1' },
  },
  {
    provider: 'bitbucket',
    secret: "It's a Secret to Everybody",
    sign: (body, signing) => sender.signAsBitbucket(body, { ...signing, id: 'delivery-1' }),
    body: json({ push: { changes: [] }, actor: { uuid: '{bc3a6c5c}' }, repository: { uuid: '{7d1f2a3b}' } }),
    header: 'x-hub-signature',
    named: 'sha256=',
    means: { type: 'repo:push', id: 'delivery-1' },
  },
  {
    provider: 'discord',
    secret: discord.privateKey.export(PEM).toString(),
    configured: discordKey,
    sign: sender.signAsDiscord,
    body: json({
      ...{ version: 1, application_id: '1234560123453231555', type: 1 },
      event: {
        type: 'APPLICATION_AUTHORIZED',
        timestamp: '2024-10-18T14:42:53.064834',
        data: { user: { id: '80351110224678912' } },
      },
    }),
    header: 'x-signature-ed25519',
    seconds: 900,
    means: { type: 'APPLICATION_AUTHORIZED', id: null, account: ['80351110224678912'] },
  },
  {
    provider: 'twitch',
    secret: 's3cRe7-of-ours',
    sign: (body, signing) => sender.signAsTwitch(body, { ...signing, id: 'e76c6bd4' }),
    body: json({
      subscription: {
        id: 'f1c2a387',
        type: 'channel.follow',
        condition: { broadcaster_user_id: '12826', moderator_user_id: '1' },
      },
      event: { user_id: '1337', broadcaster_user_id: '12826' },
    }),
    header: 'twitch-eventsub-message-signature',
    named: 'sha256=',
    seconds: 600,
    means: { type: 'channel.follow', id: 'e76c6bd4', account: ['12826'] },
  },
];
