import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CatalogueRefused, loadCatalogue } from './catalogue.ts';
import { matchesWhole } from './find-entry-flaws.ts';

let directory: string;
let file: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'patchbay-catalogue-'));
  file = join(directory, 'providers.json');
});
after(() => rmSync(directory, { recursive: true }));

const vendor = {
  id: 'vendor',
  name: 'Vendor',
  scopes: ['read'],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://vendor.example/token' },
};
const shop = { about: 'The shop', pattern: '[a-z]+', example: 'mine' };

const loadText = (text: string, production = false) => {
  writeFileSync(file, text);
  return loadCatalogue({ customFile: file, production });
};
const load = (entries: unknown, production = false) => loadText(JSON.stringify(entries), production);

const linesOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof CatalogueRefused, String(error));
    return error.lines;
  }
  return assert.fail('Nothing was refused.');
};
/** Asserts that each expression matches a line, and that each line starts with the file. */
const assertRefused = (entries: unknown, expressions: RegExp[], production = false): void => {
  const lines = linesOf(() => load(entries, production));
  for (const line of lines) assert.ok(line.startsWith(file), line);
  for (const expression of expressions)
    assert.ok(
      lines.some((line) => expression.test(line)),
      `${expression}\n${lines.join('\n')}`,
    );
};

test('the built-in entries are all loaded, and none is custom', () => {
  const catalogue = loadCatalogue({ customFile: null, production: true });
  const files = readdirSync(new URL('./entries/', import.meta.url)).map((name) => name.replace(/\.json$/, ''));
  assert.deepEqual([...catalogue.keys()].sort(), files.sort());
  for (const { custom, proof } of catalogue.values()) {
    assert.equal(custom, false);
    assert.ok(proof);
  }
});

const keyed = {
  id: 'keyed',
  name: 'Keyed',
  kind: 'api_key',
  docs: 'https://keyed.example/docs',
  fields: { api_key: { label: 'API key', about: 'In the settings.' } },
  api: { url: 'https://api.keyed.example', verify: { method: 'GET', path: '/me' } },
};
const basic = {
  ...keyed,
  kind: 'basic',
  fields: { username: { label: 'User', about: 'Yours.', secret: false }, password: keyed.fields.api_key },
};

describe('entries that are connected with a key', () => {
  test('are loaded beside the others', () => {
    assert.deepEqual(load([keyed], true).get('keyed'), { record: keyed, custom: true, named: true });
    assert.deepEqual(load([basic], true).get('keyed')?.record, basic);
    const extended = load([{ id: 'brevo', extends: true, name: 'Mail' }]).get('brevo')?.record;
    assert.equal(extended?.kind, 'api_key');
    assert.equal(extended?.name, 'Mail');
  });

  test('can send the key in a header or several, in the query, or in Basic, and show what is not secret in addresses', () => {
    const credentials = [
      { header: 'X-Key', format: '{api_key}' },
      { query: 'key' },
      { header: 'Authorization', format: 'Basic {api_key}:' },
    ];
    for (const credential of credentials) load([{ ...keyed, api: { ...keyed.api, credential } }]);
    const headers = { 'X-Key': '{username}', X_Secret: '{password}' };
    load([{ ...basic, api: { ...basic.api, credential: { headers } } }]);
    load([{ ...basic, api: { ...basic.api, verify: { method: 'GET', path: '/users/{username}' } } }]);
  });

  test('need the fields of their kind, and no others', () => {
    assertRefused([{ ...keyed, kind: 'basic' }], [/\/fields\/username is required when \/kind is basic/]);
    assertRefused([{ ...basic, kind: 'api_key' }], [/\/fields\/password must not be set when \/kind is api_key/]);
    assertRefused([{ ...keyed, fields: { token: keyed.fields.api_key } }], [/additional properties \("token"\)/]);
    assertRefused([{ ...keyed, api: undefined }], [/must have required property 'api'/]);
    assertRefused([{ ...keyed, scopes: [] }], [/additional properties \("scopes"\)/]);
    assertRefused([{ ...keyed, kind: 'password' }], [/\/kind must be equal/]);
  });

  test('can have a secret only where the credential is', () => {
    const inAddress = { ...keyed.api, verify: { method: 'GET', path: '/keys/{api_key}' } };
    assertRefused([{ ...keyed, api: inAddress }], [/\/api\/verify\/path uses \{api_key\}/]);
    const withoutSecret = { ...basic.api, credential: { header: 'X-User', format: '{username}' } };
    assertRefused([{ ...basic, api: withoutSecret }], [/\/api\/credential doesn't use the secret field \{password\}/]);
    const unknown = { ...keyed.api, credential: { header: 'X-Key', format: '{api_key} {access_token}' } };
    assertRefused([{ ...keyed, api: unknown }], [/\/api\/credential\/format uses \{access_token\}/]);
    assertRefused([{ ...basic, fields: { username: basic.fields.username } }], [/uses \{password\}/]);
    const inQuery = { ...basic.api, credential: { query: 'key' } };
    assertRefused([{ ...basic, api: inQuery }], [/\/api\/credential\/query is only for/]);
  });

  test('must say where a key may go if a person names the host', () => {
    const params = { site: { ...shop, pattern: '[a-z]+' } };
    const api = { ...keyed.api, url: 'https://{site}.keyed.example' };
    assertRefused([{ ...keyed, params, api }], [/\/domains is required when a host has a placeholder/]);
    load([{ ...keyed, params, api, domains: ['keyed.example'] }]);
    load([{ ...keyed, params, api: { ...keyed.api, url: 'https://keyed.example/{site}' } }]);
  });

  test('must be whole', () => {
    const { verify: _, ...api } = keyed.api;
    assertRefused([{ ...keyed, api, identity: { id: 'id', label: 'name' } }], [/\/identity is read from/]);
    const fields = { api_key: { ...keyed.fields.api_key, pattern: '(' } };
    assertRefused([{ ...keyed, fields }], [/\/fields\/api_key\/pattern is not a regular expression/]);
    assertRefused([{ ...keyed, api: { ...keyed.api, url: 'http://keyed.example' } }], [/must be https/], true);
  });
});

describe("the operator's own entries", () => {
  test('are added to the built-in ones', () => {
    const catalogue = load([vendor, { id: 'found', name: 'Found', issuer: 'https://id.example', scopes: [] }]);
    assert.deepEqual(catalogue.get('vendor'), { record: vendor, custom: true, named: true });
    assert.equal(catalogue.get('found')?.custom, true);
    assert.equal(catalogue.get('github')?.custom, false);
  });

  test('replace a built-in one with the same id completely', () => {
    const own = { ...vendor, id: 'github', name: 'Our GitHub' };
    const catalogue = load([own]);
    assert.deepEqual(catalogue.get('github'), { record: own, custom: true, named: true });
    assert.equal(catalogue.size, loadCatalogue({ customFile: null, production: false }).size);
  });

  test('that extend a built-in one override only the fields they contain', () => {
    const builtIn = loadCatalogue({ customFile: null, production: true });
    const plain = builtIn.get('google')?.record;
    assert.ok(plain && 'authorize' in plain);
    const params = { ...plain.authorize.params, prompt: 'select_account' };
    const changes = { scopes: ['openid'], authorize: { params: { prompt: 'select_account' } } };
    const catalogue = load([{ id: 'google', extends: true, ...changes }], true);
    const { record, custom } = catalogue.get('google') ?? {};
    assert.deepEqual(record, { ...plain, scopes: ['openid'], authorize: { ...plain.authorize, params } });
    assert.equal(custom, false, 'None of its addresses are the operator’s.');
    assert.equal(catalogue.size, builtIn.size);
    const unrevocable = load([{ id: 'google', extends: true, revoke: null }]).get('google')?.record;
    assert.equal(unrevocable && 'revoke' in unrevocable && unrevocable.revoke, null);
  });

  test('that extend a built-in one with an address of their own may reach private hosts there', () => {
    const token = { url: 'https://gitlab.internal/oauth/token' };
    const domains = ['gitlab.com', 'gitlab.internal'];
    const record = load([{ id: 'gitlab', extends: true, token, domains }]).get('gitlab');
    assert.equal(record?.custom, true);
  });

  test('that extend a built-in one are checked as a whole', () => {
    assertRefused([{ ...vendor, extends: true }], [/entry 1: \/extends .*no built-in entry/]);
    assertRefused([{ extends: true, scopes: [] }], [/entry 1: \/extends .*no built-in entry/]);
    assertRefused([{ id: 'google', extends: 'yes' }], [/entry 1: /]);
    assertRefused(
      [{ id: 'google', extends: true, scopes: 'email', colour: 'red', token: { auth: 'magic' } }],
      [/\/scopes /, /"colour"/, /\/token\/auth /],
    );
    assertRefused([{ id: 'google', extends: true, token: { url: 'http://plain.example' } }], [/must be https/], true);
    assertRefused(
      [
        { id: 'google', extends: true },
        { ...vendor, id: 'google' },
      ],
      [/"google" appears twice/],
    );
  });

  test('are told in words which format a field has', () => {
    const wrong = { ...vendor, id: 'My Vendor', token: { url: 'ftp://vendor.example' }, domains: ['x y'] };
    const lines = linesOf(() => load([wrong]));
    assert.doesNotMatch(lines.join(), /pattern|\^|\\/);
    assert.match(lines.join(), /\/id has the wrong format\. Expected: 1 to 40 lowercase letters/);
    assert.match(lines.join(), /\/token\/url has the wrong format\. Expected: a URL/);
    assert.match(lines.join(), /\/domains\/0 has the wrong format\. Expected: a host name/);
  });

  test('may use plain http, except in production', () => {
    const plain = {
      ...vendor,
      issuer: 'http://localhost',
      authorize: { url: 'http://localhost/authorize' },
      token: { url: 'http://localhost/token', upgrade: { url: 'http://localhost/upgrade' } },
      revoke: { url: 'http://localhost/revoke' },
    };
    assert.ok(load([plain]).has('vendor'));
    const fields = ['/issuer', '/authorize/url', '/token/url', '/token/upgrade/url', '/revoke/url'];
    assertRefused(
      [plain],
      fields.map((field) => new RegExp(`entry 1: ${field} must be https`)),
      true,
    );
    assertRefused(
      [{ id: 'found', name: 'F', issuer: 'http://id.example', scopes: [] }],
      [/\/issuer must be https/],
      true,
    );
    assert.ok(load([{ ...vendor, authorize: { url: 'https://vendor.example/?next=http://x' } }], true).has('vendor'));
  });
});

describe('an unusable file', () => {
  test('is refused if it is missing, not JSON or not a list', () => {
    const missing = join(directory, 'missing.json');
    assert.deepEqual(
      linesOf(() => loadCatalogue({ customFile: missing, production: false })),
      [`${missing} cannot be read.`],
    );
    assert.match(linesOf(() => loadCatalogue({ customFile: directory, production: false })).join(), /cannot be read/);
    for (const text of ['', '[', '{"id": }', 'providers: []'])
      assert.deepEqual(
        linesOf(() => loadText(text)),
        [`${file} is not valid JSON.`],
      );
    for (const text of ['{}', 'null', '"x"', '7', '{"0": {}}'])
      assert.match(linesOf(() => loadText(text)).join(), /providers\.json must contain a JSON array/);
  });
});

describe('an invalid entry is reported with its file, number and field', () => {
  test('an unknown field', () => {
    assertRefused([vendor, { ...vendor, id: 'other', tokn: {} }], [/entry 2: \/ .*\("tokn"\)/]);
    assertRefused([{ ...vendor, token: { ...vendor.token, ur: 'x' } }], [/entry 1: \/token .*\("ur"\)/]);
    assertRefused([{ ...vendor, refresh: { rotates: 'never', idle: 3 } }], [/entry 1: \/refresh .*\("idle"\)/]);
  });

  test('a field that is missing or of the wrong type', () => {
    const { token: _, ...without } = vendor;
    assertRefused([without], [/entry 1: \/ .*'token'/]);
    assertRefused([{ ...vendor, scopes: 'read' }], [/entry 1: \/scopes must be array/]);
    assertRefused([{ ...vendor, id: 'Big Name' }], [/entry 1: \/id /]);
    assertRefused([{ ...vendor, token: { url: 'vendor.example/token' } }], [/entry 1: \/token\/url /]);
    assertRefused([{ ...vendor, token: { ...vendor.token, auth: 'magic' } }], [/entry 1: \/token\/auth /]);
  });

  test('a sign with only a status where it would end a grant, or something that is not a sign', () => {
    const told = { status: 400, says: { message: 'gone' } };
    const gone = [404, told];
    const revoke = { url: 'https://vendor.example/revoke', gone };
    assert.ok(load([{ ...vendor, revoke, errors: { invalidGrant: ['dead', told] } }]).has('vendor'));
    for (const sign of [{ status: 400 }, {}, 400, { code: 'x', text: 'y' }, { says: { message: '' } }]) {
      assertRefused([{ ...vendor, errors: { invalidGrant: [sign] } }], [/entry 1: \/errors\/invalidGrant\/0/]);
      assertRefused([{ ...vendor, errors: { invalidClient: [sign] } }], [/entry 1: \/errors\/invalidClient\/0/]);
    }
  });

  test('a grace period for a refresh token that is never spent', () => {
    const refresh = { rotates: 'always', graceSeconds: 60 };
    assert.ok(load([{ ...vendor, refresh }]).has('vendor'));
    assertRefused([{ ...vendor, refresh: { ...refresh, rotates: 'never' } }], [/entry 1: \/refresh\/graceSeconds /]);
  });

  test('a name that no placeholder could have', () => {
    const kept = { param: 'x', pattern: '.*' };
    const response = { keep: { 'Bad-Name': 'team.id' } };
    assertRefused(
      [{ ...vendor, identity: { id: 'id', label: 'id', ...response } }],
      [/entry 1: \/identity\/keep .*Bad-Name/],
    );
    assertRefused([{ ...vendor, params: { 'Bad-Name': shop } }], [/entry 1: \/params .*Bad-Name/]);
    assertRefused([{ ...vendor, params: { 'Bad-Name': null } }], [/entry 1: \/params .*Bad-Name/]);
    assertRefused([{ ...vendor, callback: { keep: { 'Bad-Name': kept } } }], [/entry 1: \/callback\/keep .*Bad-Name/]);
    assertRefused(
      [{ ...vendor, token: { ...vendor.token, response } }],
      [/entry 1: \/token\/response\/keep .*Bad-Name/],
    );
  });

  test('an API that could not be called, in words', () => {
    const api = {
      url: 'api.vendor.example',
      hosts: { 'Bad Name': 'https://vendor.example' },
      credential: { header: 'X Token', format: '{access_token}' },
      verify: { method: 'DELETE', path: 'me' },
    };
    const lines = linesOf(() => load([{ ...vendor, api }]));
    assert.doesNotMatch(lines.join(), /pattern|\^|\\/);
    assertRefused(
      [{ ...vendor, api }],
      [
        /\/api\/url has the wrong format\. Expected: a URL/,
        /\/api\/hosts .*"Bad Name"/,
        /\/api\/credential\/header has the wrong format\. Expected: the name of a header/,
        /\/api\/verify\/method /,
        /\/api\/verify\/path has the wrong format\. Expected: a path/,
      ],
    );
  });

  test('an API elsewhere, with unknown placeholders, over plain http, or with a verification at no named host', () => {
    const url = 'https://api.vendor.example';
    const domains = ['vendor.example'];
    const verify = { method: 'GET', path: '/me', host: 'files' };
    assertRefused([{ ...vendor, domains, api: { url: 'https://other.example' } }], [/\/domains .*other\.example/]);
    assertRefused([{ ...vendor, api: { url: `${url}/{shop}` } }], [/\/api\/url uses \{shop\}/]);
    assertRefused([{ ...vendor, api: { url: 'http://api.vendor.example' } }], [/\/api\/url must be https/], true);
    assertRefused([{ ...vendor, api: { url, verify } }], [/\/api\/verify\/host is "files", which is not in/]);
    assert.ok(load([{ ...vendor, api: { url, hosts: { files: 'https://files.vendor.example' }, verify } }]));
  });

  test('a value kept from the identity response, except in the API', () => {
    const url = 'https://{base}.vendor.example/{account_id}';
    const identity = { url: 'https://vendor.example/me', id: 'id', label: 'id', keep: { base: 'account.base' } };
    assert.ok(load([{ ...vendor, domains: ['vendor.example'], identity, api: { url } }], true));
    assertRefused(
      [{ ...vendor, identity, revoke: { url } }],
      [/\/revoke\/url uses \{base\}/, /\/revoke\/url uses \{account_id\}/],
    );
  });

  test('a site that is listed nowhere or keeps nothing, and what is kept of one, except in the API', () => {
    const sites = { url: 'https://vendor.example/sites', list: 'data', id: 'id', label: 'name', keep: { site: 'id' } };
    const api = { url: 'https://vendor.example/sites/{site}' };
    const { url: _, ...unlisted } = sites;
    assert.ok(load([{ ...vendor, domains: ['vendor.example'], sites, api }], true));
    assertRefused([{ ...vendor, sites: unlisted }], [/\/sites\/url is required when \/identity\/url is missing/]);
    assertRefused([{ ...vendor, sites: { ...sites, keep: {} } }], [/\/sites\/keep must NOT have fewer than 1/]);
    assertRefused([{ ...vendor, sites: { ...sites, keep: { token: 'id' } } }], [/\/sites\/keep\/token is the name of/]);
    assertRefused([{ ...vendor, domains: ['other.example'], sites }], [/\/domains does not cover vendor\.example/]);
    assertRefused([{ ...vendor, sites, revoke: { url: api.url } }], [/\/revoke\/url uses \{site\}/]);
  });

  test('everything that is wrong is reported at once', () => {
    assertRefused(
      [
        { ...vendor, scopes: 7 },
        { ...vendor, id: 'other', name: '' },
      ],
      [/entry 1: \/scopes /, /entry 2: \/name /],
    );
  });

  test('a placeholder that nothing fills in', () => {
    assertRefused(
      [{ ...vendor, token: { url: 'https://{shop}.vendor.example' } }],
      [/entry 1: \/token\/url .*\{shop\}/],
    );
    assertRefused(
      [{ ...vendor, authorize: { ...vendor.authorize, params: { a: '{b}' } } }],
      [/\/authorize\/params\/a .*\{b\}/],
    );
    const headers = { 'x-shop': '{shop}' };
    assertRefused(
      [{ ...vendor, revoke: { url: 'https://vendor.example', headers } }],
      [/\/revoke\/headers\/x-shop .*\{shop\}/],
    );
  });

  test('but not a placeholder that a param, a default, the callback, the response or the protocol fills in', () => {
    const url = 'https://vendor.example/{shop}/{standard}/{realm}/{kept}/{client_id}';
    const entry = {
      ...vendor,
      params: { shop },
      defaults: { standard: 'x-{shop}' },
      callback: { keep: { realm: { param: 'realmId', pattern: '.*' } } },
      token: { ...vendor.token, response: { keep: { kept: 'team.id' } } },
      identity: { url, id: 'id', label: 'id' },
    };
    assert.ok(load([entry], true).has('vendor'));
  });

  test('a random value or the state in a place that has none', () => {
    const random = { nonce: '{random}' };
    const url = 'https://vendor.example/x';
    const api = { url, headers: { 'x-trace': '{random}' } };
    const token = { url, params: { state: '{state}', ...random }, headers: random };
    const authorize = { url, params: random };
    const refresh = { rotates: 'unknown', params: random };
    assert.ok(load([{ ...vendor, authorize, token, refresh, revoke: { url, headers: random }, api }], true));
    assertRefused([{ ...vendor, token: { url: `${url}/{random}` } }], [/\/token\/url uses \{random\}/]);
    assertRefused([{ ...vendor, api: { url: `${url}/{random}` } }], [/\/api\/url uses \{random\}/]);
    assertRefused([{ ...vendor, defaults: { a: '{random}' } }], [/\/defaults\/a uses \{random\}/]);
    const withState = { params: { state: '{state}' } };
    assertRefused([{ ...vendor, authorize: { url, ...withState } }], [/\/authorize\/params\/state uses/]);
    assertRefused([{ ...vendor, refresh: { rotates: 'unknown', ...withState } }], [/\/refresh\/params\/state uses/]);
    assertRefused(
      [{ ...vendor, token: { url, headers: { 'x-state': '{state}' } } }],
      [/\/token\/headers\/x-state uses/],
    );
  });

  test('a value of the OAuth app where it could be seen, or would say where requests go', () => {
    const url = 'https://vendor.example/x';
    const label = { label: 'Key', about: 'A key.' };
    const clientFields = { key: label, name: { ...label, secret: false } };
    const both = { a: '{key}', b: '{name}' };
    const token = { url: `${url}?key={key}`, params: both, headers: both };
    const good = { ...vendor, clientFields, token, authorize: { url, params: { b: '{name}' } } };
    const api = { url, headers: both, credential: { header: 'x', format: '{key} {access_token}' } };
    assert.ok(load([{ ...good, refresh: { rotates: 'unknown', params: both }, api }], true));
    const bad: [object, RegExp][] = [
      [{ authorize: { url, params: both } }, /\/authorize\/params\/a uses \{key\}/],
      [{ authorize: { url: `${url}/{key}` } }, /\/authorize\/url uses \{key\}/],
      [{ api: { url: `${url}/{key}` } }, /\/api\/url uses \{key\}/],
      [{ api: { url, verify: { method: 'GET', path: '/{name}' } } }, /\/api\/verify\/path uses \{name\}/],
      [{ identity: { id: '{key}', label: '{name}' } }, /\/identity\/id uses \{key\}/],
      [{ defaults: { a: '{name}' } }, /\/defaults\/a uses \{name\}/],
      [{ domains: ['example'], token: { url: 'https://{name}.example/t' } }, /\/token\/url uses \{name\}/],
      [{ token: { url: '{name}/token' } }, /\/token\/url uses \{name\}/],
      [{ params: { name: shop } }, /\/params\/name is the name/],
      [{ clientFields: { client_id: label } }, /\/clientFields\/client_id is the name/],
      [{ clientFields: { old_scopes: label } }, /\/clientFields\/old_scopes is the name/],
      [{ clientFields: { key: { ...label, pattern: '[' } } }, /\/clientFields\/key\/pattern is not/],
      [{ clientFields: { Key: label } }, /\/clientFields .*"Key"/],
    ];
    for (const [changes, message] of bad) assertRefused([{ ...good, ...changes }], [message]);
  });

  test('the secret of the OAuth app anywhere in the API but in headers', () => {
    const url = 'https://vendor.example/x';
    const text = '{client_id}:{client_secret}';
    assert.ok(load([{ ...vendor, api: { url, headers: { 'x-api-key': text } } }], true));
    const verify = { method: 'GET', path: '/' };
    const bad: [object, RegExp][] = [
      [{ url: `${url}/{client_secret}` }, /\/api\/url uses \{client_secret\}/],
      [{ url, hosts: { other: `${url}/{client_secret}` } }, /\/api\/hosts\/other uses \{client_secret\}/],
      [{ url, credential: { header: 'x', format: text } }, /\/api\/credential\/format uses \{client_secret\}/],
      [{ url, verify: { ...verify, path: '/{client_secret}' } }, /\/api\/verify\/path uses \{client_secret\}/],
      [{ url, verify: { ...verify, headers: { x: text } } }, /\/api\/verify\/headers\/x uses \{client_secret\}/],
      [{ url, verify: { ...verify, body: { x: text } } }, /\/api\/verify\/body\/x uses \{client_secret\}/],
    ];
    for (const [api, message] of bad) assertRefused([{ ...vendor, api }], [message]);
  });

  test('a base that is no param for one, or is not where a host is', () => {
    const base = { about: 'Where it runs', pattern: '.*', example: 'a.example:8443/x', base: true };
    const url = 'https://{+place}/token';
    const good = { ...vendor, domains: ['vendor.example'], params: { place: base }, token: { url } };
    assert.ok(load([good], true));
    assert.ok(load([{ ...good, token: { url: 'https://{+place}' } }], true));
    const bad: [object, RegExp][] = [
      [{ params: { place: shop } }, /\/token\/url uses \{\+place\}, which is not a param with "base"/],
      [{ token: { url: 'https://{+other}/x' } }, /\/token\/url uses \{\+other\}/],
      [{ token: { url: 'https://{+place}.vendor.example/x' } }, /\/token\/url can have \{\+place\} only/],
      [{ token: { url: 'https://vendor.example/{+place}' } }, /\/token\/url can have \{\+place\} only/],
      [{ token: { url: 'https://x@{+place}/x' } }, /\/token\/url can have \{\+place\} only/],
      [{ token: { url: '{+place}/x' } }, /\/token\/url can have \{\+place\} only/],
      [{ token: { url, params: { a: '{+place}' } } }, /\/token\/params\/a can have \{\+place\} only/],
      [{ params: { place: { ...base, example: 'a.example/' } } }, /\/params\/place\/example must be a host/],
      [{ params: { place: { ...base, default: '[::1]' } } }, /\/params\/place\/example must be a host/],
    ];
    for (const [changes, message] of bad) assertRefused([{ ...good, ...changes }], [message]);
  });

  test('a value that would take the name of one of ours', () => {
    const keep = { state: 'x', access_token: 'y' };
    assertRefused(
      [{ ...vendor, params: { random: shop }, token: { ...vendor.token, response: { keep } } }],
      [/\/params\/random is the name/, /\/token\/response\/keep\/state is/, /\/token\/response\/keep\/access_token is/],
    );
    const callback = { keep: { client_secret: { param: 'x', pattern: '.*' } } };
    assertRefused([{ ...vendor, callback }], [/\/callback\/keep\/client_secret is/]);
  });

  test('an extension that never ends, or that says nothing', () => {
    const refresh = { rotates: 'never', extended: { result: '0000' }, response: { defaultExpiresIn: 60 } };
    assert.ok(load([{ ...vendor, refresh }], true));
    assertRefused([{ ...vendor, refresh: { ...refresh, response: {} } }], [/\/refresh\/response\/defaultExpiresIn is/]);
    assertRefused([{ ...vendor, refresh: { ...refresh, extended: {} } }], [/\/refresh\/extended /]);
  });

  test("a pattern that is invalid or doesn't match its own example", () => {
    assertRefused(
      [{ ...vendor, params: { shop: { ...shop, pattern: '[a-z' } } }],
      [/entry 1: \/params\/shop\/pattern is not/],
    );
    assertRefused(
      [{ ...vendor, params: { shop: { ...shop, example: 'my shop' } } }],
      [/\/params\/shop\/pattern .*"my shop"/],
    );
    assertRefused([{ ...vendor, params: { shop: { ...shop, default: '7' } } }], [/\/params\/shop\/pattern .*"7"/]);
  });

  test('an invalid pattern for the callback', () => {
    const callback = { keep: { realm: { param: 'realmId', pattern: '[0-9' } } };
    assertRefused([{ ...vendor, callback }], [/entry 1: \/callback\/keep\/realm\/pattern is not/]);
  });

  test('an id that appears twice', () => {
    assertRefused([vendor, { ...vendor, name: 'Again' }], [/"vendor" appears twice/]);
  });

  test('something that is not an entry at all', () => {
    for (const entry of [7, 'vendor', [], true]) assertRefused([entry], [/entry 1: \/ must be object/]);
    assertRefused([null], [/entry 1: \/ must be object/]);
  });
});

test('a pattern must match the whole value', () => {
  assert.ok(matchesWhole('[a-z]+', 'abc'));
  for (const value of ['', 'abc1', '1abc', 'abc\n', 'a\nb']) assert.ok(!matchesWhole('[a-z]+', value), value);
  for (const value of ['common.evil', 'xconsumers']) assert.ok(!matchesWhole('common|consumers', value), value);
});
