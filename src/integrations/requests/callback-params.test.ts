import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Refusal, Secret } from '../../platform/index.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import {
  checkIssuer,
  checkSignature,
  readCallbackParams,
  readCode,
  readGrantedScopes,
  readKeptParams,
} from './callback-params.ts';

const vendor: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: [],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
};

const paramsOf = (query: string) => readCallbackParams(new URLSearchParams(query));
const refusedAs = (code: string) => (error: unknown) =>
  error instanceof Refusal && error.code === `integrations.${code}`;
const malformed = refusedAs('callback_malformed');

describe('params', () => {
  test('appear once each', () => {
    assert.deepEqual(
      [...paramsOf('code=a&state=b&empty=')],
      [
        ['code', 'a'],
        ['state', 'b'],
        ['empty', ''],
      ],
    );
  });

  test('are refused if they appear twice, even if equal, empty or encoded differently', () => {
    for (const query of [
      'code=a&code=b',
      'code=a&state=s&code=a',
      'x=&x=',
      'code=a&c%6fde=b',
      '__proto__=a&__proto__=b',
    ])
      assert.throws(() => paramsOf(query), malformed, query);
  });
});

describe('the code', () => {
  test("is read under its usual name or the entry's", () => {
    assert.equal(readCode(vendor, paramsOf('code=a')), 'a');
    const renamed = { ...vendor, callback: { codeParam: 'spapi_oauth_code' } };
    assert.equal(readCode(renamed, paramsOf('spapi_oauth_code=b&code=a')), 'b');
    assert.throws(() => readCode(renamed, paramsOf('code=a')), malformed);
  });

  test('is refused if it is missing, empty or too long', () => {
    for (const query of ['', 'code=', 'Code=a', `code=${'x'.repeat(6_001)}`])
      assert.throws(() => readCode(vendor, paramsOf(query)), malformed, query.slice(0, 20));
    assert.equal(readCode(vendor, paramsOf(`code=${'x'.repeat(6_000)}`)).length, 6_000);
  });
});

describe('the issuer (RFC 9207)', () => {
  const wrong = refusedAs('issuer_wrong');
  const known = { ...vendor, issuer: 'https://id.vendor.example' };

  test('must match exactly', () => {
    checkIssuer(known, paramsOf('code=a&iss=https%3A%2F%2Fid.vendor.example'));
    for (const iss of ['https://evil.example', 'https://id.vendor.example/', 'HTTPS://id.vendor.example', ''])
      assert.throws(() => checkIssuer(known, new Map([['iss', iss]])), wrong, iss);
  });

  test('may be missing, unless the entry promises it', () => {
    checkIssuer(known, paramsOf('code=a'));
    checkIssuer(vendor, paramsOf('code=a&iss=https://anybody.example'));
    assert.throws(() => checkIssuer({ ...known, issuerInCallback: true }, paramsOf('code=a')), wrong);
    checkIssuer({ ...known, issuerInCallback: true }, paramsOf('iss=https://id.vendor.example'));
  });
});

describe('the signature', () => {
  const signing = { ...vendor, callback: { hmacParam: 'hmac' } };
  // The example that Shopify had in its documentation, with the secret "hush".
  const signed =
    'code=0907a61c0c8d55e99db179b68161bc00&shop=some-shop.myshopify.com&state=0.6784241404160823&timestamp=1337178173';
  const hmac = '700e2dadb827fcc8609e9d5ce208b2e9cdaab9df07390d2cbca10d7c328fc4bf';
  const hush = new Secret('hush');

  test('covers all other params in any order', () => {
    checkSignature(signing, paramsOf(`${signed}&hmac=${hmac}`), hush);
    checkSignature(signing, paramsOf(`hmac=${hmac}&${signed.split('&').reverse().join('&')}`), hush);
  });

  test('fails once anything is changed, added or removed', () => {
    const forged = [
      signed,
      `${signed}&hmac=`,
      `${signed}&hmac=${hmac.toUpperCase()}`,
      `${signed}&hmac=${hmac.slice(0, -1)}0`,
      `${signed}&extra=1&hmac=${hmac}`,
      `${signed.replace('some-shop', 'evil-shop')}&hmac=${hmac}`,
      `${signed.replace(/&timestamp=\d+/, '')}&hmac=${hmac}`,
    ];
    for (const query of forged) assert.throws(() => checkSignature(signing, paramsOf(query), hush), malformed, query);
  });

  test('fails with another secret or none', () => {
    const params = paramsOf(`${signed}&hmac=${hmac}`);
    assert.throws(() => checkSignature(signing, params, new Secret('hush ')), malformed);
    assert.throws(() => checkSignature(signing, params, null), malformed);
    const byAnybody = createHmac('sha256', '').update(signed).digest('hex');
    assert.throws(() => checkSignature(signing, paramsOf(`${signed}&hmac=${byAnybody}`), null), malformed);
  });

  test('is not required if the entry has none', () => {
    checkSignature(vendor, paramsOf('code=a'), null);
  });

  test('no param can be changed without breaking it', () => {
    fc.assert(
      fc.property(fc.constantFrom('code', 'shop', 'state', 'timestamp'), fc.string(), (name, value) => {
        const params = new Map(paramsOf(`${signed}&hmac=${hmac}`));
        fc.pre(params.get(name) !== value);
        params.set(name, value);
        assert.throws(() => checkSignature(signing, params, hush), malformed);
      }),
    );
  });
});

describe('what else is kept', () => {
  const keeping: FullRecord = {
    ...vendor,
    params: { shop: { about: 'Shop', pattern: '[a-z.]+', example: 'a.b' } },
    callback: {
      keep: {
        realm: { param: 'realmId', pattern: '[0-9]{1,9}', required: true },
        shop: { param: 'shop', pattern: '[a-z.]+|x' },
      },
    },
  };

  test('is stored under our name', () => {
    assert.deepEqual(readKeptParams(keeping, paramsOf('realmId=12&other=x'), {}), { realm: '12' });
    assert.deepEqual(readKeptParams(keeping, paramsOf('realmId=12&shop=a.b'), { shop: 'a.b' }), {
      realm: '12',
      shop: 'a.b',
    });
    assert.deepEqual(readKeptParams(vendor, paramsOf('realmId=12'), {}), {});
  });

  test("is refused if it is required and missing, or doesn't match the whole pattern", () => {
    for (const query of [
      '',
      'realmId=',
      'realmId=12a',
      'realmId=a12',
      'realmId=1%0A',
      'realmId=1&shop=a%2Fx',
      'realmId=1&shop=ax/',
    ])
      assert.throws(() => readKeptParams(keeping, paramsOf(query), { shop: 'a' }), malformed, query);
  });

  test('is refused if it differs from what the flow started with', () => {
    assert.throws(() => readKeptParams(keeping, paramsOf('realmId=1&shop=evil.b'), { shop: 'a.b' }), malformed);
    assert.throws(() => readKeptParams(keeping, paramsOf('realmId=1&shop=evil.b'), {}), malformed);
  });
});

test('granted scopes are read from the param that the entry names', () => {
  const told = { ...vendor, callback: { scopeParam: 'scope' } };
  assert.deepEqual(readGrantedScopes(told, paramsOf('scope=read,activity:write')), ['read', 'activity:write']);
  assert.deepEqual(readGrantedScopes(told, paramsOf('scope=read+write')), ['read', 'write']);
  assert.deepEqual(readGrantedScopes(told, paramsOf('scope=')), []);
  assert.equal(readGrantedScopes(told, paramsOf('code=a')), null);
  assert.equal(readGrantedScopes(vendor, paramsOf('scope=read')), null);
});
