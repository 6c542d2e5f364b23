import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Evidence, findUnproven, listRelied, standingOf } from '../../../test/harness/entry-evidence.ts';
import { readEntries } from './catalogue.ts';
import type { FullRecord } from './provider.ts';

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

describe('the evidence of the built-in entries', () => {
  const entries = readEntries().map(({ record, evidence }) => ({ record, evidence: evidence as Evidence }));
  const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8');

  for (const { record, evidence } of entries)
    test(`${record.name}: every field and default that it relies on is proved, doubted, or listed as unchecked`, () => {
      const unproven = findUnproven(record, evidence);
      assert.deepEqual(evidence.unchecked ?? [], unproven, `Without evidence: ${unproven.join(', ')}`);
      for (const field of Object.keys(evidence.corrected ?? {})) {
        const [whole = field] = field.split('.');
        const relied = listRelied(record).filter((one) => one.field.startsWith(whole));
        assert.ok(relied.length > 0, `${field} was corrected, and is no field of the entry.`);
      }
    });

  test('matches what docs/providers.md says', (context) => {
    const totals = new Map<string, number>();
    for (const { record, evidence } of entries) {
      const standings = listRelied(record).map((relied) => standingOf(relied, evidence));
      for (const one of standings) totals.set(one, (totals.get(one) ?? 0) + 1);
      const count = (...wanted: string[]) => standings.filter((one) => wanted.includes(one)).length;
      const cells = [
        record.id,
        count('documented'),
        count('public code'),
        count('doubtful'),
        count('from memory', 'unproven'),
      ];
      const row = `| ${cells.join(' | ')} |`;
      assert.ok(page.includes(row), `docs/providers.md lacks: ${row}`);
    }
    const total = (...wanted: string[]) => wanted.reduce((sum, one) => sum + (totals.get(one) ?? 0), 0);
    for (const sum of [
      `add up to ${total('documented', 'public code')} fields`,
      `${total('doubtful')} fields are doubtful`,
      `${total('from memory', 'unproven')} fields are not checked`,
    ])
      assert.ok(page.includes(sum), `docs/providers.md lacks: ${sum}`);
    context.diagnostic(JSON.stringify(Object.fromEntries(totals)));
  });
});
