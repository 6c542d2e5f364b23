import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadCatalogue } from './catalogue.ts';
import { createPlaceCheck, domainsOf, isUnder } from './known-hosts.ts';
import type { FullRecord } from './provider.ts';

const vendor: FullRecord = {
  id: 'vendor',
  name: 'Vendor',
  scopes: [],
  authorize: { url: 'https://vendor.example/authorize' },
  token: { url: 'https://api.vendor.example:8443/token', upgrade: { url: 'https://up.vendor.example/x' } },
  refresh: { rotates: 'never', url: 'https://refresh.vendor.example/x' },
  revoke: { url: 'https://{shop}.vendor.example/revoke' },
  identity: { url: 'https://me.vendor.example/', id: 'id', label: 'id' },
};

test('a host is under a domain if it is that domain or a subdomain', () => {
  for (const host of ['gitlab.com', 'eu.gitlab.com', 'a.b.gitlab.com']) assert.ok(isUnder(['gitlab.com'], host), host);
});

test('a host that only looks similar is not', () => {
  const hosts = [
    'evilgitlab.com',
    'gitlab.com.evil.example',
    'gitlab.co',
    'com',
    'gitlab.com.',
    'gitlab-com',
    '',
    'xgitlab.com',
  ];
  for (const host of hosts) assert.ok(!isUnder(['gitlab.com'], host), host);
  assert.ok(!isUnder([], 'gitlab.com'));
});

test('a prefix without a dot makes it a different domain', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9-]{1,20}$/), (label) => {
      assert.ok(!isUnder(['gitlab.com'], `${label}gitlab.com`));
      assert.ok(!isUnder(['gitlab.com'], `gitlab.com.${label}`));
      assert.ok(isUnder(['gitlab.com'], `${label}.gitlab.com`));
    }),
  );
});

test("an entry's domains are those it names", () => {
  assert.deepEqual(domainsOf({ ...vendor, domains: ['vendor.example'] }), ['vendor.example']);
  assert.deepEqual(domainsOf({ ...vendor, domains: [] }), []);
});

test('without named domains, they are its fixed hosts and none that a param decides', () => {
  assert.deepEqual(
    new Set(domainsOf(vendor)),
    new Set([
      'vendor.example',
      'api.vendor.example',
      'up.vendor.example',
      'refresh.vendor.example',
      'me.vendor.example',
    ]),
  );
  const open = { ...vendor, authorize: { url: 'https://{host}/authorize' }, token: { url: '{base}/token' } };
  assert.deepEqual(domainsOf({ ...open, refresh: null, revoke: null, identity: null }), []);
});

test("a team's own client is also for the host that its params and the defaults of others make", () => {
  const params = {
    shop: { about: 'The shop.', pattern: '[a-z]+', example: 'acme' },
    ending: { about: 'The ending.', pattern: 'example|test', example: 'test', default: 'example' },
  };
  const token = { url: 'https://{shop}.vendor.{ending}/token' };
  const open: FullRecord = { ...vendor, domains: [], params, token, revoke: null };
  const isAllowed = (given: Record<string, string>, url: string) => createPlaceCheck(open, given)(new URL(url));
  assert.ok(isAllowed({ shop: 'acme' }, 'https://acme.vendor.example/token'));
  assert.ok(isAllowed({ shop: 'acme', ending: 'test' }, 'https://acme.vendor.test/token'));
  assert.ok(!isAllowed({ shop: 'acme' }, 'https://acme.vendor.test/token'));
  assert.ok(!isAllowed({ shop: 'acme' }, 'https://other.vendor.example/token'));
  assert.ok(!isAllowed({}, 'https://acme.vendor.example/token'));
});

test('every fixed address of a built-in provider is under its own domains', () => {
  for (const { record } of loadCatalogue({ customFile: null, production: true }).values()) {
    if (!('authorize' in record)) continue;
    const { authorize, token, refresh, revoke, identity } = record;
    for (const url of [authorize.url, token.url, token.upgrade?.url, refresh?.url, revoke?.url, identity?.url])
      if (url && !url.includes('{'))
        assert.ok(isUnder(domainsOf(record), new URL(url).hostname), `${record.id} ${url}`);
  }
});
