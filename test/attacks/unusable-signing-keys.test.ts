import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { exportJWK, SignJWT } from 'jose';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { useStage } from '../harness/use-stage.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signing = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const small = generateKeyPairSync('rsa', { modulusLength: 1_024 });

describe('an identity provider that also publishes keys that nobody can use', () => {
  const clock = createTestClock(Date.now());
  let asked = 0;
  const provider = useStage(async () => {
    const usable = { ...(await exportJWK(signing.publicKey)), kid: 'usable', alg: 'RS256' };
    const keys = [
      usable,
      { ...(await exportJWK(small.publicKey)), kid: 'small' },
      { ...(await exportJWK(signing.privateKey)), kid: 'private' },
      { kty: 'EC', crv: 'P-256', kid: 'off the curve', x: 'A'.repeat(43), y: 'A'.repeat(43) },
      { kty: 'RSA', kid: 'nonsense', n: 'AA', e: 'AQAB' },
    ];
    const server = createServer((request, response) => {
      if (request.url !== '/keys') return response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
      asked++;
      // The last three are no keys at all.
      return response.end(JSON.stringify({ keys: [...keys, null, 'key', []] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { issuer, close: () => server.close() };
  });
  const stage = useStage(() =>
    createTestApp('sqlite', { clock, env: { AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: 'patchbay' } }),
  );

  const claims = () => ({ iss: provider.issuer, aud: 'patchbay', sub: 'u', team: 't', exp: 4_000_000_000 });
  const send = async (token: string): Promise<number> =>
    (await stage.server.inject({ url: '/api/team', headers: { authorization: `Bearer ${token}` } })).statusCode;
  const forge = (header: object): string => `${encode(header)}.${encode(claims())}.${'A'.repeat(342)}`;

  test('lets those in whose token is signed with another one, and refuses whoever names one of these', async () => {
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'usable' })
      .sign(signing.privateKey);
    assert.equal(await send(token), 200);
    for (const kid of ['small', 'private', 'nonsense'])
      assert.equal(await send(forge({ alg: 'RS256', kid })), 401, kid);
    assert.equal(await send(forge({ alg: 'ES256', kid: 'off the curve' })), 401);
  });

  test('is asked for new keys even while somebody names these all the time', async (context) => {
    const before = asked;
    // The library asks again after half a minute, by its own clock.
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31_000 });
    clock.advance(31_000);
    assert.equal(await send(forge({ alg: 'RS256', kid: 'small' })), 401);
    assert.equal(await send(forge({ alg: 'RS256', kid: 'new' })), 401);
    assert.equal(asked - before, 1);
  });
});
