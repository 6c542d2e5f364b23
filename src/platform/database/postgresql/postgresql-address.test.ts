import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPostgresqlAddress } from './postgresql-address.ts';

const ONE = 'postgresql://ann:secret@db.example.com:6432/patchbay?sslmode=verify-full';

test('an address with one host stays as it is', () => {
  assert.deepEqual(readPostgresqlAddress(ONE), { url: ONE, hosts: null });
});

test('several hosts are read as libpq reads them, with their own ports or the default one', () => {
  assert.deepEqual(readPostgresqlAddress('postgres://ann:p%40ss@a.example.com:6432,b.example.com,[::1]:7/patchbay'), {
    url: 'postgres://ann:p%40ss@a.example.com:6432/patchbay',
    hosts: [
      { host: 'a.example.com', port: 6432 },
      { host: 'b.example.com', port: 5432 },
      { host: '::1', port: 7 },
    ],
  });
});

test('with target_session_attrs, one host has to accept writes, too', () => {
  for (const wanted of ['read-write', 'primary']) {
    const read = readPostgresqlAddress(`postgresql://db.example.com/patchbay?target_session_attrs=${wanted}`);
    assert.deepEqual(read?.hosts, [{ host: 'db.example.com', port: 5432 }]);
  }
});

test('what could only read, and what is malformed, is refused', () => {
  for (const url of [
    'postgresql://a,b/patchbay?target_session_attrs=standby',
    'postgresql://a:5432,b:x/patchbay',
    'postgresql://a,,b/patchbay',
    'mysql://a/patchbay',
    'patchbay',
  ])
    assert.equal(readPostgresqlAddress(url), undefined, url);
});
