import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cutText, readSegments, tidyLanguage, tidyText } from './transcript.ts';

describe('a text from outside', () => {
  test('loses characters that are not seen, or that change how others are read', () => {
    assert.equal(tidyText('call \u202eme\u202c back\u0000\u0007 now\u2066!'), 'call me back now!');
    assert.equal(tidyText('a\u200bb\ufeffc\ud800d'), 'abcd');
  });

  test('keeps lines, joiners, and markup, which is only text', () => {
    assert.equal(tidyText('  one \t two\r\n\r\n three\u2028four  '), 'one two\nthree\nfour');
    assert.equal(tidyText('می\u200cخواهم'), 'می\u200cخواهم');
    assert.equal(tidyText('<script>alert(1)</script>'), '<script>alert(1)</script>');
  });

  test('is cut, but not in the middle of a character', () => {
    assert.equal(tidyText('a'.repeat(500_000)).length, 150_000);
    assert.equal(cutText('ab😀', 3), 'ab');
    assert.equal(cutText('ab😀', 4), 'ab😀');
    assert.equal(tidyText(' \u200e\n '), '');
  });
});

test('a language is a code or a word', () => {
  assert.deepEqual(['en', 'pt-BR', 'english'].map(tidyLanguage), ['en', 'pt-br', 'english']);
  assert.deepEqual(['', '<b>', 'e', 7, null, 'x'.repeat(30)].map(tidyLanguage), [null, null, null, null, null, null]);
});

test('segments are read in order, without those that make no sense', () => {
  const segments = [
    { start: 2, end: 3.5, text: ' second\u202e ' },
    { start: 0, end: 2, text: ' first' },
    { start: 3, end: 2, text: 'backward' },
    { start: -1, end: 2, text: 'too early' },
    { start: 0, end: 1e9, text: 'too late' },
    { start: 0, end: 1, text: ' \u0000 ' },
    { start: '0', end: 1, text: 'no number' },
    null,
    'x',
  ];
  assert.deepEqual(readSegments(segments), [
    { start: 0, end: 2, text: 'first' },
    { start: 2, end: 3.5, text: 'second' },
  ]);
  assert.deepEqual(readSegments('x'), []);
  assert.equal(readSegments(Array.from({ length: 9_000 }, () => ({ start: 0, end: 1, text: 'x' }))).length, 5_000);
});
