import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { verifySignature } from '@vonage/jwt';
import { jwtVerify } from 'jose';
import { vonage } from './index.ts';

describe('a recording', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const applicationId = 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab';
  const account = { accountId: 'a1b2c3d4', secrets: [], api: { applicationId, privateKey: pem } };
  const recordingId = 'd4c3b2a1-0f1e-4d2c-8b3a-49586776a5b4';
  const file = '/v1/files/6c8d7e90-1a2b-4c3d-8e4f-5a6b7c8d9e0f';
  const mediaOf = async (mediaUrl: string | null, api: Record<string, string> = account.api) =>
    vonage.mediaOf({ recordingId, mediaUrl }, { ...account, api });

  test('is fetched with a token of the application', async () => {
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

  test('is fetched with a key that has escaped line breaks, or the older format', async () => {
    const address = `https://api.nexmo.com${file}`;
    const older = String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
    for (const key of [pem.trim().replaceAll('\n', '\\n'), older]) {
      assert.match(key, vonage.rules.api['privateKey']?.pattern ?? /$^/);
      assert.ok('url' in (await mediaOf(address, { applicationId, privateKey: key })));
    }
  });
});
