import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { verifySignature } from '@vonage/jwt';
import { jwtVerify } from 'jose';
import type { Delivery } from '../../contract/delivery.ts';
import { get, payload, payloads, post } from './fixtures/sign-delivery.ts';
import { vonage } from './index.ts';

const unsigned = (delivery: Delivery): Delivery => ({ ...delivery, headers: { 'content-type': 'application/json' } });

describe('a delivery of this provider', () => {
  test('is known by what it names, signed or not', () => {
    for (const name of Object.keys(payloads)) {
      assert.equal(vonage.recognizes(post(payload(name))), true, name);
      assert.equal(vonage.recognizes(unsigned(post(payload(name)))), true, name);
    }
    assert.equal(vonage.recognizes(unsigned(get(payload('answer')))), true);
    assert.equal(vonage.recognizes(unsigned(get({ uuid: 'a', to: '1', from: '2' }))), true);
  });

  test('that only brings back what we gave to it is known by its token', () => {
    assert.equal(vonage.recognizes(post({ payload: { step: 'voicemail' } })), true);
    assert.equal(vonage.recognizes(unsigned(post({ payload: { step: 'voicemail' } }))), false);
  });

  test('is not made by a token alone, nor by what others send', () => {
    assert.equal(vonage.recognizes(get({})), false);
    assert.equal(vonage.recognizes(post('')), false);
    assert.equal(vonage.recognizes(unsigned(post({ data: { event_type: 'call.initiated' }, meta: {} }))), false);
    assert.equal(
      vonage.recognizes(unsigned(post({ eventType: 'initiate', callId: 'c-1', to: '+1', from: '+2' }))),
      false,
    );
    assert.equal(vonage.recognizes(unsigned(get({ CallSid: 'CA1', AccountSid: 'AC1' }))), false);
  });

  test('names its account in the token', () => {
    assert.equal(vonage.accountIdOf(post(payload('answer'))), 'a1b2c3d4');
    assert.equal(vonage.accountIdOf(unsigned(post(payload('answer')))), null);
  });
});

describe('what an admin types in', () => {
  test('fits, or it is said what is expected', () => {
    const { accountId, secret, api } = vonage.rules;
    assert.match('a1b2c3d4', accountId?.pattern ?? /$^/);
    assert.doesNotMatch('a1b2 c3d4', accountId?.pattern ?? /^/);
    assert.match('vonage_signature_secret_test_0123456789', secret.pattern);
    assert.doesNotMatch('', secret.pattern);
    assert.doesNotMatch('my-application', api['applicationId']?.pattern ?? /^/);
    assert.doesNotMatch('-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----', api['privateKey']?.pattern ?? /^/);
  });

  test('is told where to paste the addresses', () => {
    const advice = vonage.advise({
      voice: 'https://h.test/voice?account=a1',
      recording: 'https://h.test/rec?account=a1',
    });
    assert.equal(advice.voiceUrl, 'https://h.test/voice?account=a1');
    assert.equal(advice.statusUrl, 'https://h.test/voice?account=a1&step=status');
    assert.match(advice.notes.join(' '), /signed webhooks.*first one rings/);
  });
});

describe('the file of a recording', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const applicationId = 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab';
  const account = { accountId: 'a1b2c3d4', secrets: [], api: { applicationId, privateKey: pem } };
  const recordingId = 'd4c3b2a1-0f1e-4d2c-8b3a-49586776a5b4';
  const file = '/v1/files/6c8d7e90-1a2b-4c3d-8e4f-5a6b7c8d9e0f';
  const mediaOf = async (mediaUrl: string | null, api: Record<string, string> = account.api) =>
    vonage.mediaOf({ recordingId, mediaUrl }, { ...account, api });

  test('is fetched where the provider keeps it, with a token of the application', async () => {
    for (const host of ['api.nexmo.com', 'api-us.nexmo.com', 'api-us-3.vonage.com', 'api-eu-4.vonage.com']) {
      const request = await mediaOf(`https://${host}${file}`);
      assert.ok('url' in request);
      assert.equal(request.url, `https://${host}${file}`);
      assert.deepEqual(request.hosts, [host]);
      const token = String(request.headers['authorization']).replace('Bearer ', '');
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ['RS256'] });
      assert.equal(protectedHeader.alg, 'RS256');
      assert.equal(payload['application_id'], applicationId);
      assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300);
      assert.ok(payload.jti);
      assert.equal(verifySignature(token, String(publicKey.export({ type: 'spki', format: 'pem' }))), true);
    }
  });

  test('is never asked for anywhere else', async () => {
    for (const address of [
      null,
      '',
      `http://api.nexmo.com${file}`,
      `https://api.nexmo.com.evil.test${file}`,
      `https://evil.test/api.nexmo.com${file}`,
      `https://user@api.nexmo.com${file}`,
      `https://api.nexmo.com:8443${file}`,
      `https://apixnexmo.com${file}`,
      `https://api.nexmo.com${file}/../../v1/calls`,
      `https://api.nexmo.com${file}?x=1`,
      'https://api.nexmo.com/v1/files/../calls',
      `https://api.nexmo.com${file}\n`,
    ])
      assert.ok('missing' in (await mediaOf(address)), String(address));
  });

  test('waits for what an admin has to give', async () => {
    const address = `https://api.nexmo.com${file}`;
    for (const api of [{}, { applicationId }, { privateKey: pem }, { applicationId, privateKey: 'x' }])
      assert.ok('missing' in (await mediaOf(address, api as Record<string, string>)));
    const small = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    assert.ok('missing' in (await mediaOf(address, { applicationId, privateKey: String(small) })));
  });

  test('may be fetched with a key whose line ends are written out, or in the older form', async () => {
    const address = `https://api.nexmo.com${file}`;
    const older = String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
    for (const key of [pem.trim().replaceAll('\n', '\\n'), older]) {
      assert.match(key, vonage.rules.api['privateKey']?.pattern ?? /$^/);
      assert.ok('url' in (await mediaOf(address, { applicationId, privateKey: key })));
    }
  });

  test('cannot be removed there', () => assert.equal(vonage.removalOf({ recordingId, mediaUrl: null }, account), null));
});
