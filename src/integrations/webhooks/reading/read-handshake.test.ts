import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { readWebhook, webhookOf } from '../../../../test/harness/read-webhook.ts';
import {
  signAsDiscord,
  signAsSlack,
  signAsSlackForm,
  signAsTwitch,
  signAsZoom,
} from '../../../../test/harness/webhook-senders.ts';
import type { HandshakeReply } from './read-handshake.ts';

const NOW = Date.parse('2026-11-19T12:00:00Z');
const SECRET = 'a-secret';
const PLAIN = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const EMPTY: HandshakeReply = { contentType: null, headers: {}, body: '' };
/** What a plain GET is read as. */
const NOTHING = { kind: 'items', verified: 'none', items: [], seen: null };
const HTML = '<script>alert(1)</script>';

const read = (provider: string, message: Parameters<typeof readWebhook>[1], secrets: string[] = [SECRET]) =>
  readWebhook(webhookOf(provider), message, { secrets, now: NOW });
const get = (provider: string, query: Record<string, string>, secrets?: string[]) =>
  read(provider, { method: 'GET', query: new URLSearchParams(query).toString() }, secrets);
const replyTo = async (...message: Parameters<typeof read>): Promise<HandshakeReply> => {
  const reading = await read(...message);
  assert.equal(reading.kind, 'handshake', JSON.stringify(reading));
  assert.equal(reading.secret, null);
  return reading.reply;
};
const signing = { secret: SECRET, now: NOW };

describe('a handshake', () => {
  test('that is signed is answered only if the signature is valid', async () => {
    const challenge = JSON.stringify({ token: 't', challenge: 'c'.repeat(52), type: 'url_verification' });
    const message = await signAsSlack(challenge, signing);
    const reply = { contentType: JSON_TYPE, headers: {}, body: JSON.stringify({ challenge: 'c'.repeat(52) }) };
    assert.deepEqual(await replyTo('slack', message), reply);
    const reading = await read('slack', message, ['another', SECRET]);
    assert.deepEqual(reading.kind === 'handshake' && reading.seen, { type: 'url_verification', key: 1 });
    assert.deepEqual(await read('slack', message, ['another']), { kind: 'refused', reason: 'other_secret' });
    assert.deepEqual(await read('slack', { ...message, headers: {} }), { kind: 'refused', reason: 'missing' });
  });

  test('that is no handshake of this provider is an event', async () => {
    for (const body of ['{"type":"url_verification"}', `{"type":"url_verification","challenge":"${'c'.repeat(501)}"}`])
      assert.equal(
        (await read('slack', await signAsSlack(body, signing))).kind,
        'items',
        'There is nothing to repeat.',
      );
  });

  test('of Slack for a command needs no signature, and is not answered with anything', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.deepEqual(await replyTo('slack', { headers, body: 'ssl_check=1&token=x' }, []), EMPTY);
    const other = await read('slack', { headers, body: 'ssl_check=0&command=%2Fdeploy' });
    assert.deepEqual(other, { kind: 'refused', reason: 'missing' });
    assert.equal((await read('slack', await signAsSlackForm('ssl_check=1', signing))).kind, 'handshake');
  });

  test('computes an answer with the secret that has verified it', async () => {
    const body = JSON.stringify({
      event: 'endpoint.url_validation',
      payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' },
    });
    const message = await signAsZoom(body, signing);
    const encryptedToken = createHmac('sha256', SECRET).update('qgg8vlvZRS6UYooatFL8Aw').digest('hex');
    for (const secrets of [[SECRET], ['another', SECRET]])
      assert.deepEqual(await replyTo('zoom', message, secrets), {
        ...{ contentType: JSON_TYPE, headers: {} },
        body: JSON.stringify({ plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken }),
      });
    assert.equal((await read('zoom', message, ['another'])).kind, 'refused');
  });

  test('repeats a challenge as plain text, even if it is HTML', async () => {
    const nosniff = { 'x-content-type-options': 'nosniff' };
    for (const challenge of ['abc-123', HTML])
      assert.deepEqual(
        await replyTo('dropbox', { method: 'GET', query: `challenge=${encodeURIComponent(challenge)}` }),
        {
          ...{ contentType: PLAIN, headers: nosniff, body: challenge },
        },
      );
    const posted = await replyTo('microsoft', { query: `validationToken=${encodeURIComponent(HTML)}` });
    assert.deepEqual(posted, { contentType: PLAIN, headers: {}, body: HTML });
    const body = JSON.stringify({ challenge: HTML, subscription: { type: 'channel.follow' } });
    const twitch = await signAsTwitch(body, { ...signing, type: 'webhook_callback_verification' });
    assert.deepEqual(await replyTo('twitch', twitch), { contentType: PLAIN, headers: {}, body: HTML });
  });

  test('repeats values in JSON, so that they stay values', async () => {
    const reply = await replyTo('monday', { body: JSON.stringify({ challenge: '","admin":true,"x":"' }) }, []);
    assert.deepEqual(JSON.parse(reply.body), { challenge: '","admin":true,"x":"' });
  });

  test('is recognized by its method and its values', async () => {
    for (const query of [{}, { challenge: '' }, { other: 'x' }, { challenge: 'x'.repeat(501) }])
      assert.deepEqual(await get('dropbox', query), NOTHING, JSON.stringify(query));
    assert.equal((await read('dropbox', { query: 'challenge=abc' })).kind, 'refused', 'It must be a GET request.');
    assert.deepEqual(await get('microsoft', { validationToken: 'x' }), NOTHING, 'It must be a POST request.');
  });

  test('can bring the secret, which is repeated in a header', async () => {
    const secret = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81';
    const reading = await read('asana', { headers: { 'x-hook-secret': secret } }, []);
    const reply = { contentType: null, headers: { 'x-hook-secret': secret }, body: '' };
    assert.deepEqual(reading, { kind: 'handshake', reply, secret, seen: null });
    for (const odd of ['a b', 'a\r\nset-cookie: b=c', 'é', 'x'.repeat(501), ''])
      assert.equal((await read('asana', { headers: { 'x-hook-secret': odd } }, [])).kind, 'refused', odd.slice(0, 10));
  });

  test('can have an empty answer', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const message = await signAsDiscord('{"version":1,"type":0}', {
      ...{ secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), now: NOW },
    });
    assert.deepEqual(await replyTo('discord', message, [key]), EMPTY);
    assert.equal((await read('discord', { ...message, headers: {} }, [key])).kind, 'refused');
  });
});
