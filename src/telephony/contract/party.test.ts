import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameParty, toParty } from './party.ts';

const CALLER = toParty('+15551230001');

test("a caller has the name that the provider sends, without what doesn't belong into one line", () => {
  assert.deepEqual(nameParty(CALLER, ' City\u0000 Pharmacy\r\n'), { ...CALLER, name: 'City Pharmacy' });
  assert.equal(nameParty(CALLER, 'x'.repeat(5_000)).name?.length, 100);
});

test("a caller has no name if the provider only says that it doesn't know", () => {
  for (const nothing of [
    undefined,
    null,
    '',
    '  ',
    '+15551230001',
    '1 (555) 123-0001',
    'UNAVAILABLE',
    'WIRELESS CALLER',
  ])
    assert.deepEqual(nameParty(CALLER, nothing), CALLER);
});
