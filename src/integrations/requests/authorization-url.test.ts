import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import { buildAuthorizationUrl, scopesOf } from './authorization-url.ts';

const vendor: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: ['standard'],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
};

const request = {
  clientId: 'the id',
  redirectUri: 'https://patchbay.example/api/integrations/vendor/callback',
  state: 'v1.k1.nonce.sealed',
  // RFC 7636, appendix B.
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  scopes: ['read', 'write:all'],
  values: {},
};

const build = (
  authorize: Partial<FullRecord['authorize']> = {},
  record: Partial<FullRecord> = {},
  asked = {},
): string =>
  buildAuthorizationUrl(
    { ...vendor, ...record, authorize: { ...vendor.authorize, ...authorize } },
    { ...request, ...asked },
  );
const paramsOf = (...args: Parameters<typeof build>) => Object.fromEntries(new URL(build(...args)).searchParams);

/** Lists the params of a URL, even if they come after a fragment. */
const listParams = (url: string) => [...new URLSearchParams(url.slice(url.indexOf('?') + 1))];

test('the URL contains what the protocol requires, once each', () => {
  const url = new URL(build());
  assert.equal(url.origin + url.pathname, 'https://vendor.example/authorize');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_id: 'the id',
    redirect_uri: request.redirectUri,
    state: request.state,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    scope: 'read write:all',
  });
  assert.equal([...url.searchParams.keys()].length, 7);
});

test('the verifier itself is never in the URL', () => {
  for (const pkce of ['required', 'supported', 'off'] as const)
    assert.ok(!build({}, { pkce }).includes(request.verifier), pkce);
});

test("there is no challenge if the provider can't handle one", () => {
  const params = paramsOf({}, { pkce: 'off' });
  assert.ok(!('code_challenge' in params) && !('code_challenge_method' in params));
  assert.ok('code_challenge' in paramsOf({}, { pkce: 'required' }));
});

test('scopes are separated as the provider wants', () => {
  assert.match(build(), /[?&]scope=read%20write%3Aall(&|$)/);
  assert.equal(paramsOf({ scopeSeparator: ',' })['scope'], 'read,write:all');
  assert.match(build({ scopeSeparator: '+' }), /[?&]scope=read\+write%3Aall(&|$)/);
});

test('a plus within a scope stays part of it, even if scopes are separated by a plus', () => {
  const url = build({ scopeSeparator: '+' }, {}, { scopes: ['a+b', 'c'] });
  assert.match(url, /[?&]scope=a%2Bb\+c(&|$)/);
});

test('without scopes, there is no param for them', () => {
  assert.ok(!('scope' in paramsOf({}, {}, { scopes: [] })));
});

test('a param can be renamed or left out', () => {
  const params = paramsOf({ rename: { client_id: 'client_key', scope: 'scopes' }, omit: ['response_type'] });
  assert.equal(params['client_key'], 'the id');
  assert.equal(params['scopes'], 'read write:all');
  for (const name of ['client_id', 'scope', 'response_type']) assert.ok(!(name in params), name);
  assert.ok(!('scope' in paramsOf({ omit: ['scope'] })));
});

test('the state is sent under the name that the callback uses', () => {
  const params = paramsOf({}, { callback: { stateParam: 'payload' } });
  assert.equal(params['payload'], request.state);
  assert.ok(!('state' in params));
});

test("the entry's own params are added, empty ones are left out, and protocol params are replaced", () => {
  const own = { access_type: 'offline', user_scope: '{user_scope}', actor: '{actor}', response_type: 'code id_token' };
  const params = paramsOf({ params: own }, {}, { values: { user_scope: '', actor: 'a&b=c' } });
  assert.equal(params['access_type'], 'offline');
  assert.equal(params['actor'], 'a&b=c');
  assert.equal(params['response_type'], 'code id_token');
  assert.ok(!('user_scope' in params));
});

test('the query that is already in the URL stays', () => {
  const url = new URL(build({ url: 'https://vendor.example/authorize?audience=api&x=1%202' }));
  assert.equal(url.searchParams.get('audience'), 'api');
  assert.equal(url.searchParams.get('x'), '1 2');
  assert.equal(url.searchParams.get('client_id'), 'the id');
});

test('a URL that ends with a bare question mark keeps the names of the params', () => {
  assert.equal(paramsOf({ url: 'https://vendor.example/authorize?' })['response_type'], 'code');
});

test('the scopes are those requested or the defaults, plus the required ones', () => {
  const record = { ...vendor, requiredScopes: ['offline'] };
  assert.deepEqual(scopesOf(record, null), ['offline', 'standard']);
  assert.deepEqual(scopesOf(record, ['mine', 'offline', 'mine']), ['offline', 'mine']);
  assert.deepEqual(scopesOf(record, []), ['offline']);
  assert.deepEqual(scopesOf(vendor, []), []);
});

test('any scope arrives unchanged and affects no other param', () => {
  const word = fc.stringMatching(/^[\x21-\x7e]{1,20}$/);
  const usual = paramsOf({ params: { note: 'x' } });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.string({ unit: anyCharacter, minLength: 1 }), (scopes, note) => {
      const params = paramsOf({ params: { note: '{note}' } }, {}, { scopes, values: { note } });
      assert.deepEqual(params, { ...usual, note, scope: scopes.join(' ') });
    }),
  );
});

test('a random value is 128 bits long, different each time, and the same wherever one URL has it', () => {
  const authorize = { params: { nonce: '{random}', trace: 'for {shop}: {random}' } };
  const record = { ...vendor, authorize: { ...vendor.authorize, ...authorize } };
  const seen = new Set<string>();
  for (let turn = 0; turn < 100; turn++) {
    const url = buildAuthorizationUrl(record, { ...request, values: { shop: 'mine' } });
    const { nonce = '', trace } = Object.fromEntries(listParams(url));
    assert.match(nonce, /^[0-9a-f]{32}$/);
    assert.equal(trace, `for mine: ${nonce}`);
    seen.add(nonce);
  }
  assert.equal(seen.size, 100);
});

test('after a fragment, the params belong to it', () => {
  const expected = Object.entries(paramsOf()).sort();
  for (const [url, start] of [
    ['https://vendor.example/#/oauth', 'https://vendor.example/#/oauth?'],
    ['https://vendor.example/app?tab=1#/oauth', 'https://vendor.example/app?tab=1#/oauth&'],
    ['https://vendor.example/#/oauth?step=1', 'https://vendor.example/#/oauth?step=1&'],
  ] as const) {
    const built = build({ url });
    assert.ok(built.startsWith(start), built);
    assert.deepEqual([...new URLSearchParams(built.slice(start.length))].sort(), expected);
  }
});

test('the URLs of one provider never mix, however many different ones there are', () => {
  const record = (): FullRecord => ({
    ...vendor,
    authorize: { url: 'https://{shop}.vendor.example/authorize', params: { lang: '{lang}' } },
  });
  const wishes = Array.from({ length: 120 }, (_, turn) => [
    { ...request, values: { shop: `shop-${turn}`, lang: 'en' } },
    { ...request, values: { shop: 'shop', lang: `lang-${turn}` } },
    { ...request, values: { shop: 'shop', lang: 'en' }, clientId: `client-${turn}` },
    { ...request, values: { shop: 'shop', lang: 'en' }, redirectUri: `https://patchbay.example/${turn}` },
    { ...request, values: { shop: 'shop', lang: 'en' }, scopes: [`scope-${turn}`] },
    { ...request, values: { shop: 'shop', lang: 'en' }, state: `state-${turn}`, verifier: `verifier-${turn}` },
  ]).flat();
  const same = record();
  for (const wish of [...wishes, ...wishes])
    assert.equal(buildAuthorizationUrl(same, wish), buildAuthorizationUrl(record(), wish));
});

test('every built-in provider gets one state, one redirect URI and one client, over https', () => {
  for (const { record } of loadCatalogue({ customFile: null, production: true }).values()) {
    if (!('authorize' in record)) continue;
    const values = Object.fromEntries([
      ...Object.entries(record.params ?? {}).map(([name, { example }]) => [name, example]),
      ...Object.keys(record.clientFields ?? {}).map((name) => [name, `a-${name}`]),
    ]);
    const url = buildAuthorizationUrl(record, { ...request, values, scopes: record.scopes });
    assert.match(url, /^https:/, record.id);
    const sent = listParams(url);
    assert.equal(new Set(sent.map(([name]) => name)).size, sent.length, record.id);
    assert.equal(sent.filter(([, value]) => value === request.state).length, 1, record.id);
    // Amazon Selling Partner gets another ID of the app instead.
    const clients = record.authorize.omit?.includes('client_id') ? 0 : 1;
    assert.equal(sent.filter(([, value]) => value === request.clientId).length, clients, record.id);
    assert.ok(
      sent.every(([, value]) => value !== ''),
      record.id,
    );
  }
});
