import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsvLine, toReadableTime } from './csv-line.ts';

const cellOf = (text: string): string => /^1,([\s\S]*),true\r\n$/.exec(toCsvLine([1, text, true]))?.[1] ?? '';

test('a line has its cells in order, and nothing where there is no value', () => {
  assert.equal(toCsvLine(['c1', null, 12, false, '']), 'c1,,12,false,\r\n');
});

test('a time is one that a spreadsheet reads', () => {
  assert.equal(toReadableTime('2026-11-09T09:15:00.000Z'), '2026-11-09 09:15:00');
  assert.equal(toReadableTime('yesterday'), 'yesterday');
});

test('anything a spreadsheet would take for a formula is plain text', () => {
  for (const name of [
    '=1+1',
    '@SUM(A1)',
    '+cmd|x',
    '-2+3',
    '+1 555',
    '+15551230001a',
    '-1',
    '+',
    '＝1+1',
    '＠SUM(1)',
    '\u200b=1',
  ])
    assert.equal(cellOf(name), `'${name}`, name);
  assert.equal(cellOf('\tx'), `"'\tx"`);
  assert.equal(cellOf('\r=1'), `"'\r'=1"`);
  assert.equal(cellOf('=HYPERLINK("http://x","y")'), `"'=HYPERLINK(""http://x"",""y"")"`);
});

test('nor is there a formula if a spreadsheet splits cells at semicolons or tabs', () => {
  assert.equal(cellOf('Ann;=1+1'), `"Ann;'=1+1"`);
  assert.equal(cellOf('Ann\t@SUM(A1)'), `"Ann\t'@SUM(A1)"`);
  assert.equal(cellOf('Ann; -2+3;+cmd|x'), `"Ann;' -2+3;'+cmd|x"`);
  assert.equal(cellOf('Ann;"=1"'), `"Ann;'""=1"""`);
  assert.equal(cellOf('Ann\n=1'), `"Ann\n'=1"`);
  assert.equal(cellOf('+15551230001;=1'), `"'+15551230001;'=1"`);
});

test('phone numbers and names stay unchanged', () => {
  for (const name of ['+15551230001', 'Ann-Marie', 'a+b', 'a=b', 'sip:a@b.example', ''])
    assert.equal(cellOf(name), name);
  assert.equal(cellOf('Smith; Ann'), '"Smith; Ann"');
  assert.equal(cellOf('Smith, Ann "A"'), '"Smith, Ann ""A"""');
  assert.equal(cellOf('two\nlines'), '"two\nlines"');
});
