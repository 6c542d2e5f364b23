import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanForwardedFor } from './clean-forwarded-for.ts';

test('a forwarded address is the same with or without port, brackets and zone', () => {
  const examples = {
    '203.0.113.7': '203.0.113.7',
    '203.0.113.7:50123': '203.0.113.7',
    '2001:db8::7': '2001:db8::7',
    '[2001:db8::7]': '2001:db8::7',
    '[2001:db8::7]:443': '2001:db8::7',
    'fe80::7%eth0': 'fe80::7',
    ' 203.0.113.7:1 ,\t10.0.0.2 ': '203.0.113.7, 10.0.0.2',
    '203.0.113.7,,10.0.0.2,': '203.0.113.7, 10.0.0.2',
  };
  for (const [claimed, cleaned] of Object.entries(examples)) assert.equal(cleanForwardedFor(claimed), cleaned, claimed);
});

test('entries before one that is not an address are ignored', () => {
  assert.equal(cleanForwardedFor('203.0.113.7, unknown, 10.0.0.2'), '10.0.0.2');
  for (const claimed of [
    '',
    ',',
    'unknown',
    '_hidden',
    '7',
    '0x7f.1',
    '203.0.113.7:',
    '203.0.113.007',
    '[::1',
    '::1:x',
  ])
    assert.equal(cleanForwardedFor(claimed), '', claimed);
});
