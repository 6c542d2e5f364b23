import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { quoteForShell } from './quote-for-shell.ts';

test('an ordinary word is shown as it is', () => {
  for (const word of ['ada@example.com', 'ada+team@example.com', 'b-1_2.3@x.test'])
    assert.equal(quoteForShell(word), word);
});

for (const word of [
  '`touch$IFS/x`@x.test',
  "o'neil@x.test",
  '$(id)@x.test',
  'a&b|c;d@x.test',
  '~x',
  '*',
  '',
  '"a b"',
  '!x',
])
  test(`a shell takes a word for itself, and for nothing else: ${word}`, () => {
    const printed = execFileSync('sh', ['-c', `printf %s ${quoteForShell(word)}`]);
    assert.equal(printed.toString(), word);
  });
