import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntries } from '../catalogue.ts';
import { findPeopleFlaws } from './find-people-flaws.ts';
import type { PeopleRules } from './people.ts';

const people: PeopleRules = {
  search: [{ method: 'GET', path: '/people', query: { phone: '{national}' } }],
  items: 'items',
  numbers: ['phone'],
  id: 'id',
  name: ['{name}'],
  url: 'https://crm.example/{account_id}/{id}',
};
const rest = { hosts: new Set(['v2']), known: new Set(['account_id']) };

test('an entry that is right has no flaws', () => {
  assert.deepEqual(findPeopleFlaws(people, null, rest), []);
});

test('unknown hosts and placeholders are found, and a log without people', () => {
  const [ask] = people.search;
  assert.ok(ask);
  const wrong = { ...people, search: [{ ...ask, host: 'v3', query: { phone: '{call}' } }], url: 'https://{tenant}/' };
  assert.deepEqual(findPeopleFlaws(wrong, null, rest), [
    '/people/search/0/host is "v3", which is not in /api/hosts',
    '/people/search/0/query/phone uses {call}, which has no value there',
    '/people/url uses {tenant}, which has no value there',
  ]);
  const log = {
    create: { ...ask, body: {} },
    id: 'id',
    update: { ...ask, query: { a: '{log}' } },
    find: { ...ask, items: '', id: 'id', settlesSeconds: 0 },
  };
  assert.deepEqual(findPeopleFlaws(null, log, rest), [
    '/log/create/body means nothing with GET',
    '/log/create/query/phone uses {national}, which has no value there',
    '/log/find/query/phone uses {national}, which has no value there',
    '/log needs /people, which finds the contact',
  ]);
});

test('the catalog has rules for these providers', () => {
  const having = (field: 'people' | 'log') => readEntries().flatMap(({ record }) => (record[field] ? [record.id] : []));
  assert.deepEqual(having('people'), ['hubspot-key', 'hubspot', 'pipedrive', 'salesforce']);
  assert.deepEqual(having('log'), ['hubspot-key', 'hubspot', 'pipedrive']);
});
