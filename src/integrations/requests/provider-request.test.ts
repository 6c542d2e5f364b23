import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { Secret } from '../../platform/index.ts';
import type { Client } from '../catalogue/client.ts';
import { ValueMissing } from '../catalogue/placeholders.ts';
import { buildProviderRequest, type RequestPlan } from './provider-request.ts';

const client: Client = { id: 'the-id', secret: new Secret('the-secret'), of: 'operator', params: {}, scopes: null };
const publicClient: Client = { id: 'the-id', secret: null, of: 'operator', params: {}, scopes: null };

const build = (plan: Partial<RequestPlan>, as = client, values = {}) =>
  buildProviderRequest(
    { url: 'https://vendor.example/token', protocol: { grant_type: 'x', code: 'c d' }, namesClient: true, ...plan },
    as,
    values,
  );

const formOf = (plan: Partial<RequestPlan>, as = client, values = {}) =>
  Object.fromEntries(new URLSearchParams(build(plan, as, values).body));

const basicOf = (id: string, secret: string, basicEncoding?: 'form' | 'raw'): string => {
  const plan = { auth: 'basic' as const, ...(basicEncoding ? { basicEncoding } : {}) };
  const { authorization = '' } =
    build(plan, { id, secret: new Secret(secret), of: 'team', params: {}, scopes: null }).headers ?? {};
  assert.match(authorization, /^Basic [A-Za-z0-9+/]+=*$/);
  return Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8');
};

describe('how the client authenticates', () => {
  test('by default, with id and secret among the params', () => {
    assert.deepEqual(formOf({}), { grant_type: 'x', code: 'c d', client_id: 'the-id', client_secret: 'the-secret' });
    assert.equal(build({}).headers?.['authorization'], undefined);
    assert.deepEqual(formOf({}, publicClient), { grant_type: 'x', code: 'c d', client_id: 'the-id' });
  });

  test('with Basic, neither is among the params', () => {
    assert.deepEqual(formOf({ auth: 'basic' }), { grant_type: 'x', code: 'c d' });
    assert.equal(basicOf('the-id', 'the-secret'), 'the-id:the-secret');
  });

  test('with Basic, id and secret are form-encoded (RFC 6749, section 2.3.1)', () => {
    assert.equal(basicOf('a:b', 'c:d'), 'a%3Ab:c%3Ad');
    assert.equal(basicOf('50%', '1+1 = 2'), '50%25:1%2B1+%3D+2');
    assert.equal(basicOf('ü', '密&'), '%C3%BC:%E5%AF%86%26');
    assert.equal(basicOf('a-b_c.d*', ''), 'a-b_c.d*:');
  });

  test('with Basic, they are sent as they are if the entry says so', () => {
    assert.equal(basicOf('50%', '1+1 = ü:', 'raw'), '50%:1+1 = ü:');
  });

  test('form encoding loses nothing: a server that follows the RFC reads the same id and secret', () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(text, text, (id, secret) => {
        const [left = '', right = '', ...rest] = basicOf(id, secret).split(':');
        assert.equal(rest.length, 0);
        assert.equal(new URLSearchParams(`x=${left}`).get('x'), id);
        assert.equal(new URLSearchParams(`x=${right}`).get('x'), secret);
      }),
    );
  });

  test('with none, only the id is sent, and only if it is asked for', () => {
    assert.deepEqual(formOf({ auth: 'none' }), { grant_type: 'x', code: 'c d', client_id: 'the-id' });
    assert.deepEqual(formOf({ auth: 'none', namesClient: false }), { grant_type: 'x', code: 'c d' });
    assert.ok(!JSON.stringify(build({ auth: 'none' })).includes('the-secret'));
  });
});

describe('where the params go', () => {
  test('into a form', () => {
    const { method, headers, body, url } = build({ auth: 'none', namesClient: false });
    assert.equal(method, 'POST');
    assert.equal(url, 'https://vendor.example/token');
    assert.equal(headers?.['content-type'], 'application/x-www-form-urlencoded');
    assert.equal(headers?.['accept'], 'application/json');
    assert.equal(body, 'grant_type=x&code=c+d');
  });

  test('into JSON', () => {
    const { headers, body } = build({ body: 'json', auth: 'none', namesClient: false });
    assert.equal(headers?.['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(body ?? ''), { grant_type: 'x', code: 'c d' });
  });

  test('into the query, next to what is already there', () => {
    for (const plan of [{ body: 'query' as const }, { method: 'GET' as const }]) {
      const { url, body, headers } = build({ ...plan, url: 'https://vendor.example/token?v=2&code=old', auth: 'none' });
      assert.deepEqual([...new URL(url).searchParams].sort(), [
        ['client_id', 'the-id'],
        ['code', 'c d'],
        ['grant_type', 'x'],
        ['v', '2'],
      ]);
      assert.equal(body, undefined);
      assert.equal(headers?.['content-type'], undefined);
    }
  });

  test('or nowhere', () => {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const built = build({ body: 'none', method });
      assert.equal(built.url, 'https://vendor.example/token');
      assert.equal(built.method, method);
      assert.equal(built.body, undefined);
      assert.ok(!JSON.stringify(built).includes('the-secret'));
    }
  });

  test('any value arrives unchanged in a form, in JSON and in the query', () => {
    const params = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ unit: anyCharacter, minLength: 1 }));
    fc.assert(
      fc.property(params, (protocol) => {
        const plan = { protocol, auth: 'none' as const, namesClient: false };
        const expected = { ...protocol };
        assert.deepEqual(formOf(plan), expected);
        assert.deepEqual(JSON.parse(build({ ...plan, body: 'json' }).body ?? ''), expected);
        assert.deepEqual(Object.fromEntries(new URL(build({ ...plan, body: 'query' }).url).searchParams), expected);
      }),
    );
  });
});

describe('what the entry changes', () => {
  test('renames a protocol param', () => {
    const rename = { client_id: 'client_key', code: 'auth_code' };
    assert.deepEqual(formOf({ rename }), {
      grant_type: 'x',
      auth_code: 'c d',
      client_key: 'the-id',
      client_secret: 'the-secret',
    });
  });

  test('leaves out a protocol param', () => {
    assert.deepEqual(formOf({ omit: ['grant_type', 'client_secret'] }), { code: 'c d', client_id: 'the-id' });
  });

  test('replaces a protocol param with its own', () => {
    const params = { grant_type: 'fb_exchange_token', fb_exchange_token: '{access_token}', who: '{client_id}' };
    assert.deepEqual(formOf({ params, auth: 'none' }, client, { access_token: 'a&b' }), {
      grant_type: 'fb_exchange_token',
      code: 'c d',
      client_id: 'the-id',
      fb_exchange_token: 'a&b',
      who: 'the-id',
    });
    assert.deepEqual(formOf({ omit: ['code'], params: { code: 'own' }, auth: 'none' })['code'], 'own');
  });

  test('leaves out empty params, which is also how an entry removes one', () => {
    assert.deepEqual(
      formOf({ protocol: { a: '', b: 'x' }, params: { b: '', c: '{none}' }, auth: 'basic' }, client, { none: '' }),
      {},
    );
  });

  test('adds headers with placeholders, and leaves out empty ones', () => {
    const { headers } = build(
      {
        auth: 'basic',
        headers: { Authorization: 'Client {client_secret}', 'X-Version': '2', Accept: '', 'X-No': '{no}' },
      },
      client,
      { no: '' },
    );
    assert.equal(headers?.['authorization'], 'Client the-secret');
    assert.equal(headers?.['x-version'], '2');
    assert.ok(!('accept' in (headers ?? {})) && !('x-no' in (headers ?? {})));
  });

  test("a value never replaces the client's id or secret, and its own braces are not placeholders", () => {
    const params = { echo: '{note}', id: '{client_id}' };
    const values = { note: '{client_secret}', client_id: 'forged', client_secret: 'forged' };
    const form = formOf({ auth: 'none', params }, client, values);
    assert.equal(form['echo'], '{client_secret}');
    assert.equal(form['id'], 'the-id');
  });

  test('a missing value means that the provider is not asked', () => {
    assert.throws(() => build({ params: { x: '{absent}' } }), ValueMissing);
    assert.throws(() => build({ headers: { x: '{absent}' } }), ValueMissing);
    assert.throws(() => build({ url: 'https://{absent}.vendor.example' }), ValueMissing);
  });
});
