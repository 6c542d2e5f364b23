import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillFirstTemplate, fillTemplate, listPlaces } from '../../catalogue/webhook/template.ts';
import type { Known, Message } from './message.ts';
import { createPlaceReader, listValues } from './read-place.ts';

const message: Message = {
  method: 'POST',
  url: 'https://ours.example',
  query: 'challenge=a%20b&empty=&twice=1&twice=2',
  headers: { 'x-event': 'push', 'x-empty': '', 'set-cookie': ['a', 'b'] },
  body: Buffer.alloc(0),
};
const known: Known = {
  content: {
    id: 7,
    name: 'n',
    yes: true,
    none: null,
    list: ['a', 1, {}, null],
    deep: { er: 'x' },
    long: 'x'.repeat(501),
  },
  item: { id: 'i' },
  claims: { userId: 12 },
  parts: new Map([['t', '123']]),
};
const fill = (template: string, of: Known = known) => fillTemplate(template, createPlaceReader(message, of));
const valuesOf = (template: string, of: Known = known) => listValues(template, message, of);

describe('a template', () => {
  test('has places', () => {
    assert.deepEqual(listPlaces('{header:x}/{item}-{body:a.b[0]}'), [
      { source: 'header', path: 'x' },
      { source: 'item', path: '' },
      { source: 'body', path: 'a.b[0]' },
    ]);
    assert.deepEqual(listPlaces('constant'), []);
  });

  test('is filled in from wherever the place is', () => {
    const filled = {
      constant: 'constant',
      '{header:x-event}': 'push',
      '{query:challenge}': 'a b',
      '{query:twice}': '1',
      '{body:id}.{body:deep.er}': '7.x',
      '{body:list[1]}': '1',
      '{item:id}': 'i',
      '{claim:userId}': '12',
      '{signature:t}': '123',
    };
    for (const [template, text] of Object.entries(filled)) assert.equal(fill(template), text, template);
    assert.equal(fill('{item}', { item: 'dbid:1' }), 'dbid:1');
  });

  test('is incomplete without one of its values, and then the next one is used', () => {
    for (const place of ['header:x-none', 'header:x-empty', 'header:set-cookie', 'query:none', 'body:none'])
      assert.equal(fill(`a{${place}}`), null, place);
    for (const place of [
      'body:list',
      'body:deep',
      'body:long',
      'body:none.of.it',
      'item',
      'claim:none',
      'signature:v1',
    ])
      assert.equal(fill(`{${place}}`), null, place);
    for (const place of ['body:constructor', 'body:__proto__.id', 'body:deep.toString', 'header:constructor'])
      assert.equal(fill(`{${place}}`), null, place);
    assert.equal(fill('{body:id}', {}), null);
    assert.equal(fill('{claim:userId}', { claims: null }), null);
    const first = (...templates: string[]) => fillFirstTemplate(templates, createPlaceReader(message, known));
    assert.equal(first('{body:none}', '{body:name}.{header:x-none}', '{body:name}', 'else'), 'n');
    assert.equal(first('{body:none}'), null);
  });

  test('fills in each value once', () => {
    assert.equal(fill('{body:a}', { content: { a: '{body:b}', b: 'x' } }), '{body:b}');
    assert.equal(fill('{body:a}', { content: { a: '$&$1' } }), '$&$1');
  });

  test('can name several values if it is a single place', () => {
    assert.deepEqual(valuesOf('{body:list}'), ['a', '1']);
    assert.deepEqual(valuesOf('{body:name}'), ['n']);
    assert.deepEqual(valuesOf('x{body:list}'), []);
    assert.deepEqual(valuesOf('{body:none}'), []);
    assert.deepEqual(valuesOf('{item}', { item: ['a', 'b'] }), ['a', 'b']);
    assert.deepEqual(valuesOf('{header:x-event}'), ['push']);
    assert.deepEqual(valuesOf('constant'), ['constant']);
  });
});
