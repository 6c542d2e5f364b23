import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteName } from './mail-link.ts';

test('a team is called by its name in a letter, unless that leads somewhere', () => {
  assert.equal(quoteName('Acme'), ' “Acme”');
  assert.equal(quoteName(' Acme\r\n  and\tsons \u202e\u0007'), ' “Acme and sons”');
  assert.equal(quoteName('x'.repeat(200)), ` “${'x'.repeat(60)}”`);
  for (const address of ['Locked: https://evil.example/unlock', 'see WWW.evil.example', 'ht\u200btp://evil.example'])
    assert.equal(quoteName(address), '', address);
});
