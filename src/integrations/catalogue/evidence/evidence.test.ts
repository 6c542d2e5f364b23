import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readEntries } from '../catalogue.ts';
import type { KeyRecord } from '../key-record.ts';
import type { FullRecord } from '../provider.ts';
import { type Evidence, listRelied, standingOf } from './evidence.ts';
import { judgeEvidence } from './judge-evidence.ts';

const vendor: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: [],
  pkce: 'off',
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token', auth: 'basic' },
  refresh: { rotates: 'never' },
  revoke: null,
};
const evidenceOf = (told: Partial<Evidence>): Evidence => ({ checked: '2026-11-16', seen: {}, ...told });
const standing = (field: string, written: boolean, told: Partial<Evidence>) =>
  standingOf({ field, written }, evidenceOf(told));

describe('what an entry relies on', () => {
  test("is what it states, the defaults it uses, and what it says doesn't exist", () => {
    const relied = listRelied(vendor);
    const named = (written: boolean) => relied.filter((one) => one.written === written).map(({ field }) => field);
    assert.deepEqual(named(true), ['scopes', 'pkce', 'authorize.url', 'token.url', 'token.auth', 'refresh.rotates']);
    assert.deepEqual(named(false), [
      'requiredScopes',
      'authorize.scopeSeparator',
      'token.body',
      'token.response',
      'token.basicEncoding',
      'refresh.graceSeconds',
      'refresh.idleDays',
      'refresh.absoluteDays',
      'refresh.leastAgeSeconds',
      'refresh.url',
      'refresh.auth',
      'refresh.body',
      'refresh.response',
      'revoke',
      'errors.invalidGrant',
      'errors.invalidClient',
    ]);
  });

  test('includes what a revocation leaves out and what a refresh inherits from the exchange', () => {
    const { url } = vendor.token;
    const defaultsOf = (changes: Partial<FullRecord>, part: string) =>
      listRelied({ ...vendor, ...changes })
        .filter(({ field, written }) => !written && field.startsWith(`${part}.`))
        .map(({ field }) => field.slice(part.length + 1));
    const every = ['method', 'auth', 'body', 'token', 'param', 'ok', 'gone', 'kills'];
    assert.deepEqual(defaultsOf({ revoke: { url } }, 'revoke'), every);
    const basic = defaultsOf({ revoke: { url, auth: 'basic', ok: [204] } }, 'revoke');
    assert.deepEqual(basic, ['method', 'body', 'token', 'param', 'gone', 'kills', 'basicEncoding']);
    const token = { url, headers: { accept: 'x' }, rename: { code: 'c' } };
    assert.deepEqual(defaultsOf({ token }, 'refresh').slice(-6), [
      ...['url', 'auth', 'body', 'response'],
      ...['headers', 'rename'],
    ]);
    assert.deepEqual(defaultsOf({ refresh: { rotates: 'never', url } }, 'refresh').includes('url'), false);
  });

  test("includes the API's fields, and how the credential travels", () => {
    const api = { url: 'https://vendor.example/api', headers: { version: '1' } };
    const ofApi = (record: FullRecord) => listRelied(record).filter(({ field }) => field.startsWith('api'));
    assert.deepEqual(ofApi({ ...vendor, api }), [
      { field: 'api.url', written: true },
      { field: 'api.headers', written: true },
      { field: 'api.credential', written: false },
    ]);
    assert.deepEqual(ofApi(vendor), []);
  });

  test('is documented, from public code, from memory, doubtful or unproven', () => {
    const page = 'https://vendor.example/docs';
    assert.equal(standing('token.auth', true, { seen: { 'token.auth': page } }), 'documented');
    assert.equal(standing('token.auth', true, { seen: { 'token.auth': 'https://github.com/a/b' } }), 'public code');
    assert.equal(standing('token.auth', true, { seen: { token: 'somebody/code' } }), 'public code');
    assert.equal(standing('token.auth', true, { recalled: ['token.auth'] }), 'from memory');
    assert.equal(standing('token.auth', true, { uncertain: ['token.auth: who knows'] }), 'doubtful');
    assert.equal(standing('token.response', true, { recalled: ['token.response.keep'] }), 'from memory');
    assert.equal(standing('token.auth', true, { seen: { 'token.url': page } }), 'unproven');
  });

  test('a source for the whole proves no default, and doubt about a field takes precedence', () => {
    const seen = { revoke: 'https://vendor.example/docs' };
    assert.equal(standing('revoke.auth', true, { seen }), 'documented');
    assert.equal(standing('revoke.auth', false, { seen }), 'unproven');
    assert.equal(standing('revoke.auth', false, { recalled: ['revoke'] }), 'from memory');
    assert.equal(standing('revoke.auth', true, { seen, uncertain: ['revoke.auth'] }), 'doubtful');
  });
});

describe('how far an entry can be trusted', () => {
  const seen = { 'authorize.url': 'https://vendor.example/docs', token: 'somebody/code' };
  const judge = (told: Partial<Evidence>, record: FullRecord | KeyRecord = vendor) =>
    judgeEvidence(record, evidenceOf(told));

  test('depends on the weakest evidence for what it needs to connect', () => {
    assert.equal(judge({ seen }).confidence, 'referenced');
    for (const weaker of [{ recalled: ['token.auth'] }, { uncertain: ['authorize.url: it moved'] }])
      assert.equal(judge({ seen, ...weaker }).confidence, 'recalled', JSON.stringify(weaker));
    assert.equal(judge({ seen: { token: 'somebody/code' } }).confidence, 'recalled', 'an address without a source');
    assert.equal(judge({ seen, recalled: ['revoke', 'refresh', 'scopes'] }).confidence, 'referenced');
  });

  test('is documented only if the provider itself has a page for every field and every default', () => {
    const page = 'https://vendor.example/docs';
    const own = Object.fromEntries(listRelied(vendor).map(({ field }) => [field, page]));
    assert.equal(judge({ seen: own }).confidence, 'documented');
    for (const field of Object.keys(own)) {
      const { [field]: _, ...others } = own;
      assert.notEqual(judge({ seen: others }).confidence, 'documented', field);
      assert.notEqual(judge({ seen: { ...own, [field]: 'catalogue: somebody/code' } }).confidence, 'documented', field);
    }
  });

  test('lists every field and default without a source as unconfirmed', () => {
    for (const { record, evidence } of readEntries()) {
      const weak = listRelied(record).filter((relied) =>
        ['doubtful', 'from memory', 'unproven'].includes(standingOf(relied, evidence)),
      );
      const { unconfirmed, confidence } = judgeEvidence(record, evidence);
      assert.deepEqual(
        unconfirmed,
        weak.map(({ field }) => field),
        record.id,
      );
      if (weak.length > 0) assert.notEqual(confidence, 'documented', record.id);
    }
  });

  test('is confirmed only if someone has tried all of that at the provider', () => {
    const tried = '2026-11-17, connected and refreshed with an account';
    assert.equal(judge({ confirmed: { authorize: tried, token: tried } }).confidence, 'confirmed');
    assert.equal(judge({ seen, confirmed: { token: tried } }).confidence, 'referenced');
    assert.equal(judge({ seen, confirmed: { authorize: tried, token: tried } }).confidence, 'confirmed');
  });

  test('counts how a key travels and how it is verified, even if nothing is stated', () => {
    const keyed: KeyRecord = {
      ...{ id: 'keyed', name: 'Keyed', kind: 'api_key', docs: 'https://keyed.example' },
      fields: { api_key: { label: 'API key', about: 'In the settings.' } },
      api: { url: 'https://api.keyed.example', verify: { method: 'GET', path: '/me' } },
    };
    const page = 'https://keyed.example/docs';
    const all = { fields: page, 'api.url': page, 'api.verify': page };
    assert.equal(judge({ seen: all }, keyed).confidence, 'recalled');
    assert.equal(judge({ seen: { ...all, 'api.credential': page } }, keyed).confidence, 'documented');
    assert.equal(
      judge({ seen: { ...all, 'api.credential': page }, recalled: ['api.verify'] }, keyed).confidence,
      'recalled',
    );
  });

  test('counts what the entry states, and what the provider itself documents or was seen to do', () => {
    const { sources } = judge({ seen, recalled: ['pkce'], confirmed: { 'refresh.rotates': '2026-11-17, refreshed' } });
    assert.deepEqual(sources, { fields: 6, own: 2, checked: '2026-11-16' });
  });

  test('names what is known from memory, doubtful, or without a source', () => {
    const { unconfirmed } = judge({ seen, recalled: ['pkce', 'revoke'], uncertain: ['refresh.idleDays'] });
    const stated = new Set(['scopes', 'pkce', 'refresh.rotates', 'refresh.idleDays', 'revoke']);
    assert.deepEqual(
      unconfirmed.filter((field) => stated.has(field)),
      [...stated],
    );
    assert.ok(unconfirmed.includes('token.basicEncoding'), 'A default that nobody has looked for.');
    assert.ok(!unconfirmed.includes('token.url'));
  });
});
