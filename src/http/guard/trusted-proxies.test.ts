import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrustedProxies } from './trusted-proxies.ts';

test('a trusted proxy is one of the addresses and ranges, however its address is written', () => {
  const isTrusted = createTrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8:7::1'])
    assert.equal(isTrusted(address), true, address);
  for (const address of ['11.0.0.1', '192.0.2.8', '::ffff:192.0.2.8', '2001:db9::1', 'localhost', '', undefined])
    assert.equal(isTrusted(address), false, address);
  assert.equal(createTrustedProxies([])('10.0.0.1'), false);
});
