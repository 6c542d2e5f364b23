import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strangerKey } from './stranger-key.ts';

test('strangers are identified by address, and with IPv6 by network', () => {
  assert.equal(strangerKey('203.0.113.7'), '203.0.113.7');
  assert.equal(strangerKey('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(strangerKey('2001:db8:1:2::1'), strangerKey('2001:db8:1:2:ffff::9'));
  assert.notEqual(strangerKey('2001:db8:1:2::1'), strangerKey('2001:db8:1:3::1'));
});
