import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { AssertionAlgorithm, Client } from '../catalogue/client.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { signAssertion } from './client-assertion.ts';

const NOW = Date.parse('2026-11-15T12:00:00.900Z');
const record: FullRecord = {
  ...{ id: 'acme', name: 'Acme', issuer: 'https://id.acme.example', scopes: [] },
  authorize: { url: 'https://acme.example/authorize' },
  token: { url: 'https://{site}.acme.example/token', auth: 'private_key_jwt' },
};
const values = { site: 'north' };
const clientWith = (key: NonNullable<Client['key']>): Client => ({
  ...{ id: 'the-client', secret: null, of: 'operator', params: {}, scopes: null, key },
});

const pairs: [AssertionAlgorithm, ReturnType<typeof generateKeyPairSync>][] = [
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2_048 })],
  ['PS256', generateKeyPairSync('rsa', { modulusLength: 2_048 })],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['EdDSA', generateKeyPairSync('ed25519')],
];

for (const [algorithm, { privateKey: key, publicKey }] of pairs)
  test(`an assertion is signed with ${algorithm}, for one provider, for a minute, with an id of its own`, async () => {
    const client = clientWith({ key, keyId: 'first', algorithms: [algorithm] });
    const [one, other] = [signAssertion(record, client, values, NOW), signAssertion(record, client, values, NOW)];
    assert.ok(one && other);
    assert.deepEqual(decodeProtectedHeader(one), { alg: algorithm, typ: 'JWT', kid: 'first' });
    const { payload } = await jwtVerify(one, publicKey, { currentDate: new Date(NOW), algorithms: [algorithm] });
    const { jti, ...claims } = payload;
    const iat = Math.floor(NOW / 1_000);
    assert.deepEqual(claims, {
      ...{ iss: 'the-client', sub: 'the-client', aud: 'https://north.acme.example/token', iat, exp: iat + 60 },
    });
    assert.notEqual(jti, (await jwtVerify(other, publicKey, { currentDate: new Date(NOW) })).payload.jti);
    await assert.rejects(jwtVerify(one, publicKey, { currentDate: new Date(NOW + 61_000) }), /exp/);
  });

test('the entry says whom it is for and which algorithm is used, as far as the key allows', async () => {
  const [[, { privateKey: key, publicKey }]] = pairs as [(typeof pairs)[0]];
  const client = clientWith({ key, keyId: null, algorithms: ['RS256', 'PS256'] });
  const signed = signAssertion(
    { ...record, assertion: { audience: 'issuer', algorithms: ['ES256', 'PS256'] } },
    client,
    values,
    NOW,
  );
  assert.deepEqual(decodeProtectedHeader(signed ?? ''), { alg: 'PS256', typ: 'JWT' });
  const { payload } = await jwtVerify(signed ?? '', publicKey, { currentDate: new Date(NOW) });
  assert.equal(payload.aud, 'https://id.acme.example');
});

test('a client without a key signs nothing', () => {
  const { key: _, ...client } = clientWith({ key: pairs[0]?.[1].privateKey as never, keyId: null, algorithms: [] });
  assert.equal(signAssertion(record, client, values, NOW), null);
});
