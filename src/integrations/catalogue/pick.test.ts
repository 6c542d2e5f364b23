import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pick, pickText } from './pick.ts';

const answer = {
  id: 7,
  data: { id: 'inner', deep: { er: true } },
  list: [{ id: 'first' }, { id: 'second' }],
  accounts: [
    { id: 'a', is_default: false },
    { id: 'b', is_default: true },
    { id: 'c', is_default: true },
  ],
  grid: [[{ id: 'corner' }]],
};

test('a path consists of keys, indexes and a field that must be true', () => {
  const cases: [string, unknown][] = [
    ['id', 7],
    ['data.id', 'inner'],
    ['data.deep.er', true],
    ['list[0].id', 'first'],
    ['list[1].id', 'second'],
    ['accounts[is_default].id', 'b'],
    ['grid[0][0].id', 'corner'],
    ['', answer],
  ];
  for (const [path, value] of cases) assert.deepEqual(pick(answer, path), value, path);
  assert.equal(pick([{ id: 'top' }], '[0].id'), 'top');
});

test('a path that does not exist gives nothing', () => {
  const paths = [
    'nothing',
    'id.deeper',
    'data[0]',
    'list.id',
    'list[2].id',
    'accounts[is_closed].id',
    'data.deep.er.x',
  ];
  for (const path of paths) assert.equal(pick(answer, path), undefined, path);
  for (const value of [null, undefined, 'text', 7, true]) assert.equal(pick(value, 'a.b'), undefined, String(value));
});

test('inherited properties are not part of a response', () => {
  for (const path of [
    'constructor',
    '__proto__',
    'toString',
    'data.__proto__.constructor',
    'list.map',
    'hasOwnProperty',
  ])
    assert.equal(pick(answer, path), undefined, path);
  assert.equal(pick(JSON.parse('{"__proto__":{"id":"own"}}'), '__proto__.id'), 'own');
});

test("a field that must be true has to be the response's own, too", () => {
  for (const field of ['constructor', 'toString', '__proto__'])
    assert.equal(pick(answer, `accounts[${field}].id`), undefined, field);
});

test('the first path with text or a number counts, and gives text', () => {
  assert.equal(pickText(answer, ['nothing', 'data', 'list', 'data.deep.er', 'id', 'data.id']), '7');
  assert.equal(pickText({ a: '', b: 'found' }, ['a', 'b']), 'found');
  assert.equal(pickText({ a: 0 }, ['a']), '0');
  for (const a of [Number.NaN, Number.POSITIVE_INFINITY, '', null, true, {}, []])
    assert.equal(pickText({ a }, ['a']), null, String(a));
  assert.equal(pickText(answer, []), null);
});

test('any path into any response gives a value or nothing, and changes nothing', () => {
  const path = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('a', 'b', '.', '[0]', '[a]', '[]', '[', ']', '__proto__', '0', '[99999999999]'))
      .map((parts) => parts.join('')),
  );
  const value = fc.object({ key: fc.constantFrom('a', 'b', '0', '__proto__'), withBigInt: false });
  fc.assert(
    fc.property(value, path, (object, place) => {
      const before = structuredClone(object);
      pickText(object, [place]);
      assert.deepEqual(object, before);
      assert.equal(({} as Record<string, unknown>)['a'], undefined);
    }),
    { numRuns: 500 },
  );
});
