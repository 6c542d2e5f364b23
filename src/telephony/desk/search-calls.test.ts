import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameParty, toParty } from '../contract/party.ts';
import { createMatcher } from './search-calls.ts';

const PHARMACY = nameParty(toParty('+4930123456'), 'Löwen-Apotheke 24');

test('any part of a number or a name finds a caller, however it is written', () => {
  for (const text of ['3012', '030 123', '+49 30', '(030) 1234-56', 'apo', 'LOWEN', 'löwen', ' Apotheke 24 ', '24'])
    assert.ok(createMatcher(text)(PHARMACY), text);
  for (const text of ['124', '031', 'bären', '%', '_', '.*']) assert.ok(!createMatcher(text)(PHARMACY), text);
  assert.ok(createMatcher('jane')(toParty('sip:Jane@example.test')));
  assert.ok(!createMatcher('jane')(null));
});
