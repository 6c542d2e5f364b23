import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { SignJWT } from 'jose';
import { readWebhook, webhookOf } from '../../../../test/harness/read-webhook.ts';
import { URL_OF_OURS } from '../../../../test/harness/webhook-senders/signing.ts';
import { Secret } from '../../../platform/index.ts';
import type { Signature } from '../../catalogue/webhook/signature.ts';
import { toSigningKey } from './signing-key.ts';

const NOW = Date.parse('2026-11-19T12:00:00Z');
const SECONDS = NOW / 1_000;
const hmac: Signature = { algorithm: 'hmac-sha256', at: ['{header:x}'], encoding: 'hex', signed: '{body}' };
const keyOf = (signature: Signature, text: string) => toSigningKey(signature, new Secret(text));

describe('the key of a signature', () => {
  test('is the text of the secret, without spaces around it', () => {
    for (const text of ['secret', ' secret\n']) assert.equal(keyOf(hmac, text)?.export().toString(), 'secret');
    for (const text of ['', '  ']) assert.equal(keyOf(hmac, text), null);
    assert.equal(keyOf(hmac, 'whsec_c2VjcmV0')?.export().toString(), 'whsec_c2VjcmV0');
  });

  test('can be decoded, with or without a prefix', () => {
    const decoded = (prefix?: string): Signature => ({
      ...hmac,
      secret: { form: 'base64', ...(prefix && { prefix }) },
    });
    assert.equal(keyOf(decoded(), 'c2VjcmV0')?.export().toString(), 'secret');
    assert.equal(keyOf(decoded('whsec_'), 'whsec_c2VjcmV0')?.export().toString(), 'secret');
    for (const text of ['c2VjcmV0', 'whsec_', 'whsec_not base64', 'whsec_c2Vj-_V0', 'WHSEC_c2VjcmV0'])
      assert.equal(keyOf(decoded('whsec_'), text), null, text);
  });

  for (const [algorithm, type] of [
    ['ed25519', 'ed25519'],
    ['ecdsa-p256', 'ec'],
  ] as const)
    test(`can be a public key, ${algorithm}`, async () => {
      const { publicKey, privateKey } =
        type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
      const der = publicKey.export({ type: 'spki', format: 'der' });
      const raw =
        type === 'ec' ? [] : [der.subarray(-32).toString('hex'), der.subarray(-32).toString('hex').toUpperCase()];
      const texts = [...raw, der.toString('base64'), publicKey.export({ type: 'spki', format: 'pem' }).toString()];
      const provider = type === 'ec' ? 'sendgrid' : 'discord';
      const [signature] = webhookOf(provider).signatures;
      assert.ok(signature);
      const body = type === 'ec' ? '[{"event":"open"}]' : '{"event":{"type":"x"}}';
      const made = sign(type === 'ec' ? 'sha256' : null, Buffer.from(`${SECONDS}${body}`), privateKey);
      const headers =
        type === 'ec'
          ? {
              'x-twilio-email-event-webhook-signature': made.toString('base64'),
              'x-twilio-email-event-webhook-timestamp': `${SECONDS}`,
            }
          : { 'x-signature-ed25519': made.toString('hex'), 'x-signature-timestamp': `${SECONDS}` };
      for (const text of texts) {
        assert.ok(keyOf(signature, ` ${text}\n`), text);
        const reading = await readWebhook(webhookOf(provider), { headers, body }, { secrets: [text], now: NOW });
        assert.equal(reading.kind, 'items', text);
      }
      for (const text of ['', 'secret', 'ab'.repeat(31), '-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----'])
        assert.equal(keyOf(signature, text), null, text);
    });

  test('of another kind verifies nothing', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const text = rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const body = '[{"event":"open"}]';
    const made = sign('sha256', Buffer.from(`${SECONDS}${body}`), rsa.privateKey).toString('base64');
    const headers = {
      'x-twilio-email-event-webhook-signature': made,
      'x-twilio-email-event-webhook-timestamp': `${SECONDS}`,
    };
    const [signature] = webhookOf('sendgrid').signatures;
    assert.ok(signature);
    assert.equal(keyOf(signature, text), null, 'Only a key of the algorithm that the entry names.');
    const reading = await readWebhook(webhookOf('sendgrid'), { headers, body }, { secrets: [text], now: NOW });
    assert.deepEqual(reading, { kind: 'refused', reason: 'other_secret' });
  });
});

describe('a JWT', () => {
  const SECRET = Buffer.from('a-signing-secret-of-the-app');
  const make = (claims: object = {}, header: object = { alg: 'HS256' }, key: Buffer = SECRET) =>
    new SignJWT({ accountId: 1, userId: 2, aud: URL_OF_OURS, exp: SECONDS + 300, ...claims })
      .setProtectedHeader(header as { alg: string })
      .sign(key);
  const reasonOf = async (authorization: string) => {
    const message = { headers: { authorization }, body: '{"event":{"type":"create_pulse"}}' };
    const reading = await readWebhook(webhookOf('monday'), message, { secrets: [SECRET.toString()], now: NOW });
    return reading.kind === 'refused' ? reading.reason : reading.kind;
  };

  test('verifies the sender if it is for our URL and has not expired', async () => {
    assert.equal(await reasonOf(await make()), 'items');
    assert.equal(await reasonOf(await make({ exp: SECONDS - 1 })), 'stale');
    assert.equal(await reasonOf(await make({ exp: undefined })), 'other_secret', 'It must expire.');
    assert.equal(await reasonOf(await make({ aud: 'https://another.example' })), 'other_secret');
    assert.equal(await reasonOf(await make({ aud: undefined })), 'other_secret');
    assert.equal(await reasonOf(await make({ nbf: SECONDS + 60 })), 'other_secret');
  });

  test('is refused with another key or algorithm', async () => {
    assert.equal(
      await reasonOf(await make({}, { alg: 'HS256' }, Buffer.from('another-secret-of-the-app'))),
      'other_secret',
    );
    assert.equal(await reasonOf(await make({}, { alg: 'HS512' }, Buffer.alloc(64, 'x'))), 'other_secret');
    const [, payload] = (await make()).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const text of [`${none}.${payload}.`, `${none}.${payload}`, `.${payload}.`, 'x.y.z', 'x'])
      assert.equal(await reasonOf(text), 'other_secret', text.slice(0, 30));
    assert.equal(await reasonOf(`Bearer ${await make()}`), 'other_secret');
  });
});
