import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findEntryFlaws } from '../find-entry-flaws.ts';

const signature = { algorithm: 'hmac-sha256', at: ['{header:x-signature}'], encoding: 'hex', signed: '{body}' };
const timestamp = { at: ['{header:x-timestamp}'], unit: 'seconds', toleranceSeconds: 300 };
const jwt = { algorithm: 'jwt-hs256', at: ['{header:authorization}'], audience: 'url' };
const token = { algorithm: 'token', at: ['{header:x-token}'] };
const revoked = { account: 'account', at: ['at'] };

const vendor = {
  id: 'vendor',
  name: 'Vendor',
  scopes: ['read'],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
  identity: {
    url: 'https://vendor.example/me',
    id: 'id',
    label: 'name',
    installation: 'company',
    keep: { user: 'user' },
  },
};
const webhook = {
  operator: { about: 'In the settings of the app.' },
  signatures: [signature],
  type: ['{body:type}'],
  id: ['{body:id}'],
  repeats: 'id',
  about: { account: ['{body:account}'] },
};

const flawsOf = (changes: object, entry: object = vendor) =>
  findEntryFlaws({ ...entry, webhook: { ...webhook, ...changes } }, true);

/** Asserts that there is exactly this flaw. */
const assertFlaw = (changes: object, expression: RegExp, entry?: object): void => {
  const flaws = flawsOf(changes, entry);
  assert.equal(flaws.length, 1, JSON.stringify([changes, flaws]));
  assert.match(flaws[0] ?? '', expression);
};

describe('the webhook of an entry', () => {
  test('can be any that the fields describe', () => {
    const handshake = { when: { '{body:type}': 'hello' } };
    const usable: object[] = [
      {},
      { signatures: [{ ...signature, signed: '{method}{url}{body}{timestamp}', timestamp }] },
      { signatures: [{ ...signature, timestamp: { ...timestamp, at: ['{body:sentAt}'] } }] },
      { signatures: [{ ...signature, parts: { between: ',', afterName: '=', name: 'v1' } }] },
      { signatures: [{ ...signature, signed: '{id}.{header:x-version}.{query:v}.{body}' }] },
      { signatures: [signature, token] },
      { signatures: [jwt], about: { account: ['{claim:user}'] } },
      { items: 'events', type: ['{item:type}'], about: { account: ['{item}'], installation: ['{item:company}'] } },
      { id: undefined, repeats: 'digest' },
      { about: { host: ['{header:x-shop}'] } },
      { handshakes: [{ ...handshake, signed: true, answer: { json: { a: '{hmac-hex:body:a}' } } }] },
      { operator: undefined, team: { about: 'x' }, handshakes: [{ ...handshake, secret: '{header:x-secret}' }] },
      { operator: undefined, team: { about: 'x' }, signatures: [], about: {} },
      { withdrawn: { revoked: { ...revoked, only: { user: ['users'] } } } },
      { secretOf: 'client', quiet: { '{body:type}': ['ping'] }, jsonField: 'payload', refusedWith: 401 },
      { mostBytes: 25 * 1024 * 1024 },
    ];
    for (const changes of usable) assert.deepEqual(flawsOf(changes), [], JSON.stringify(changes));
    assert.deepEqual(findEntryFlaws({ ...vendor, webhook: null }, true), []);
  });

  test('has a signature that proves the message', () => {
    const flawed: [object, RegExp][] = [
      [{ signed: '{url}' }, /^\/webhook\/signatures\/signed must contain \{body\}/],
      [{ signed: '{body}{secret}' }, /signed uses \{secret\}, which can't be signed/],
      [{ timestamp }, /signed must contain \{timestamp\}/],
      [{ signed: '{timestamp}{body}' }, /timestamp is missing/],
      [{ encoding: undefined }, /encoding is missing/],
      [{ audience: 'url' }, /audience needs jwt-hs256/],
      [{ parts: { between: ',', afterName: '=', name: 'v1' }, at: ['{body:signature}'] }, /parts needs a header/],
    ];
    for (const [changes, expression] of flawed) assertFlaw({ signatures: [{ ...signature, ...changes }] }, expression);
    assertFlaw({ signatures: [{ ...token, signed: '{body}' }] }, /signed means nothing with token/);
    assertFlaw({ signatures: [{ ...token, encoding: 'hex' }] }, /encoding means nothing here/);
    const withId = { signatures: [{ ...signature, signed: '{id}.{body}' }], id: undefined, repeats: 'digest' };
    assertFlaw(withId, /signed contains \{id\}, but the webhook has none/);
  });

  test('names only what messages and connections have', () => {
    assertFlaw({ type: ['{item:type}'] }, /^\/webhook\/items is missing/);
    assertFlaw({ about: { account: ['{claim:user}'] } }, /signatures has no JWT/);
    assertFlaw({ type: ['{signature:t}'] }, /uses \{signature:…\}, which only signatures can/);
    assertFlaw({ id: undefined }, /^\/webhook\/id is missing, but repeats are recognized by it/);
    const { installation: _, ...person } = vendor.identity;
    const about = { ...webhook.about, installation: ['{body:company}'] };
    assertFlaw({ about }, /installation needs \/identity\/installation/, { ...vendor, identity: person });
    assertFlaw({}, /^\/webhook needs \/identity/, { ...vendor, identity: undefined });
    const other = { revoked: { ...revoked, only: { other: ['users'] } } };
    assertFlaw({ withdrawn: other }, /withdrawn\/revoked\/only\/other is neither a param nor kept/);
  });

  test('can withdraw access only with a signature over the body', () => {
    for (const signatures of [[jwt], [token]])
      assertFlaw({ signatures, withdrawn: { revoked } }, /^\/webhook\/withdrawn needs a signature over the body/);
  });

  test('is received by someone, and verified if that is the operator', () => {
    assertFlaw({ operator: undefined }, /needs \/webhook\/operator or \/webhook\/team/);
    assertFlaw({ signatures: [] }, /^\/webhook\/operator needs a signature/);
    assertFlaw({ about: {} }, /^\/webhook\/about is empty/);
    const handshakes = [{ when: { '{header:x-secret}': '' }, secret: '{header:x-secret}' }];
    assertFlaw({ handshakes }, /^\/webhook\/handshakes\/secret needs an address of the team/);
  });

  test('signs nothing that anyone can choose', () => {
    const when = { '{query:crc_token}': '' };
    for (const answer of [
      { json: { response_token: '{hmac-base64:query:crc_token}' } },
      { text: '{hmac-hex:query:crc_token}' },
    ])
      assertFlaw(
        { handshakes: [{ method: 'GET', when, answer }] },
        /answer contains an HMAC, so \/signed must be true/,
      );
    const headers = { 'x-token': '{hmac-hex:query:crc_token}' };
    assertFlaw({ handshakes: [{ method: 'GET', when, headers }] }, /answer contains an HMAC/);
  });

  test('belongs to an OAuth app, or to a team', () => {
    const keyed = {
      ...{
        id: 'keyed',
        name: 'Keyed',
        kind: 'api_key',
        docs: 'https://keyed.example',
        identity: { id: 'id', label: 'id' },
      },
      fields: { api_key: { label: 'API key', about: 'In the settings.' } },
      api: { url: 'https://api.keyed.example', verify: { method: 'GET', path: '/me' } },
    };
    assertFlaw({}, /^\/webhook\/operator needs an OAuth app/, keyed);
    const team = { operator: undefined, team: { about: 'In the settings.' } };
    assert.deepEqual(flawsOf(team, keyed), []);
    assertFlaw({ ...team, secretOf: 'client' }, /^\/webhook\/secretOf needs an OAuth app/, keyed);
  });

  test('has fields of the right format', () => {
    const flawed: [object, RegExp][] = [
      [{ type: ['{header}'] }, /^\/webhook\/type\/0 has the wrong format. Expected: a text with places/],
      [{ type: ['{cookie:a}'] }, /^\/webhook\/type\/0 has the wrong format/],
      [{ type: [] }, /^\/webhook\/type must/],
      [{ signatures: [signature, signature, signature, signature] }, /^\/webhook\/signatures must/],
      [{ signatures: [{ ...signature, algorithm: 'md5' }] }, /^\/webhook\/signatures\/0\/algorithm must be/],
      [{ signatures: [{ ...signature, encoding: 'rot13' }] }, /^\/webhook\/signatures\/0\/encoding must be/],
      [{ withdrawn: {} }, /^\/webhook\/withdrawn must/],
      [{ withdrawn: { revoked: { ...revoked, at: [] } } }, /^\/webhook\/withdrawn\/revoked\/at must/],
      [{ handshakes: [{ when: {} }] }, /^\/webhook\/handshakes\/0\/when must/],
      [{ mostBytes: 26 * 1024 * 1024 }, /^\/webhook\/mostBytes must/],
      [{ refusedWith: 404 }, /^\/webhook\/refusedWith must/],
      [{ secret: 'x' }, /^\/webhook must NOT have additional properties \("secret"\)/],
    ];
    // A value that can be null has two schemas, so there are two lines.
    for (const [changes, expression] of flawed)
      assert.ok(
        flawsOf(changes).some((flaw) => expression.test(flaw)),
        JSON.stringify([changes, flawsOf(changes)]),
      );
    const long = { ...signature, signed: '{timestamp}{body}', timestamp: { ...timestamp, toleranceSeconds: 86_400 } };
    assert.ok(flawsOf({ signatures: [long] }).some((flaw) => /toleranceSeconds must/.test(flaw)));
  });
});
