import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareNames, connectionTitle, isConnectionName } from './connection-name.ts';

test('a name has 1 to 40 lowercase letters, digits, dashes and underscores', () => {
  for (const name of ['default', 'a', '0', 'sales-team_2', 'constructor', 'x'.repeat(40)])
    assert.ok(isConnectionName(name), name);
  for (const name of [
    '',
    '-a',
    '_a',
    'A',
    'ä',
    'a b',
    'a.b',
    'a/b',
    'a\n',
    '\na',
    'a\0',
    '%61',
    '__proto__',
    'x'.repeat(41),
  ])
    assert.ok(!isConnectionName(name), JSON.stringify(name));
});

test('the default comes first, and the others are sorted the same way everywhere', () => {
  const names = ['work', 'a_b', 'ab', 'default', 'a-b', '2'];
  assert.deepEqual(names.sort(compareNames), ['default', '2', 'a-b', 'a_b', 'ab', 'work']);
});

test('people see the name of every connection but the default', () => {
  assert.equal(connectionTitle({ name: 'GitHub', connection: 'default' }), 'GitHub');
  assert.equal(connectionTitle({ name: 'GitHub', connection: 'work' }), 'GitHub (work)');
});
