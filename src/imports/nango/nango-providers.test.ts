import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntries } from '../../integrations/catalogue/catalogue.ts';
import { domainsOf, isUnder } from '../../integrations/catalogue/known-hosts.ts';
import { readNangoProviders } from './nango-providers.ts';

const { providers, leftOut } = readNangoProviders();
const entries = new Map(readEntries().map(({ record }) => [record.id, record]));
const entryOf = (provider: string) => {
  const entry = entries.get(provider);
  assert.ok(entry, provider);
  return entry;
};

const CUSTOMERS = /\$\{connectionConfig\.[\w-]+\}/;

/** The hosts in a token URL. `x` stands for the part that differs by customer, which may be the whole address. */
const hostsOf = (token: string): string[] =>
  token
    .split(' || ')
    .map((address) => address.replace(CUSTOMERS, (_, at: number) => (at === 0 ? 'https://x' : 'x')))
    .map((address) => new URL(address).hostname);

/** Hosts that differ from our catalog because they are the customer's own or the vendor has renamed them. */
const ELSEWHERE: Record<string, RegExp> = {
  amazon: /^api\.amazon\.x$/,
  gitlab: /^gitlab\.com$/,
  paypal: /^api\.paypal\.com$/,
  okta: /^x\.okta\.com$/,
  salesforce: /^(?:x|login\.salesforce\.com)$/,
  shopify: /^x\.myshopify\.com$/,
  x: /^api\.twitter\.com$/,
  zendesk: /^x\.zendesk\.com$/,
  zoho: /^(?:accounts\.zoho\.x|x)$/,
};

test('every provider of Nango in the file is refreshed by the same vendor as our entry', () => {
  const strangers = Object.entries(providers).flatMap(([id, { provider, token }]) => {
    const entry = entryOf(provider);
    if (token === undefined) return 'fields' in entry ? [] : [id];
    if (!('authorize' in entry)) return [id];
    return hostsOf(token)
      .filter((host) => !isUnder(domainsOf(entry), host) && !ELSEWHERE[provider]?.test(host))
      .map((host) => `${id}: ${host}`);
  });
  assert.deepEqual(strangers, []);
});

test('every value and field goes to something that our entry has, and everything that it needs is there', () => {
  for (const [id, { provider, values = {}, fields = {} }] of Object.entries(providers)) {
    const entry = entryOf(provider);
    const { params = {} } = entry;
    const oauth = 'authorize' in entry ? entry : null;
    const callback = oauth?.callback?.keep ?? {};
    const known = { ...params, ...callback, ...oauth?.token.response?.keep, ...oauth?.identity?.keep };
    for (const name of Object.keys(values)) assert.ok(name in known, `${id}: ${name}`);
    const needed = [
      ...Object.keys(params).filter((name) => params[name]?.default === undefined),
      ...Object.keys(callback).filter((name) => callback[name]?.required),
    ];
    for (const name of needed) assert.ok(name in values, `${id} needs ${name}`);
    for (const name of Object.keys(fields)) assert.ok('fields' in entry && name in entry.fields, `${id}: ${name}`);
  }
});

test('what is left out is left out', () => {
  assert.deepEqual(
    Object.keys(leftOut).filter((id) => id in providers),
    [],
  );
});
