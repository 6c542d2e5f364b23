import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteName } from './mail-link.ts';

test('an email quotes the team name, unless a mail app would turn it into a link', () => {
  assert.equal(quoteName('Acme'), ' “Acme”');
  assert.equal(quoteName(' Acme\r\n  and\tsons \u202e\u0007'), ' “Acme and sons”');
  assert.equal(quoteName('x'.repeat(200)), ` “${'x'.repeat(60)}”`);
  for (const address of ['Locked: https://evil.example/unlock', 'see WWW.evil.example', 'ht\u200btp://evil.example'])
    assert.equal(quoteName(address), '', address);
});

test('a bare domain, an email address and an IP address become links, too', () => {
  for (const address of [
    'evil.example',
    'Acme (evil.example/unlock)',
    'evil\u200b.\u00adcom',
    'evil.рф',
    'evil\uff0ecom',
    'evil\u3002com',
    'ask boss@evil',
    'boss\uff20evil',
    'see 192.0.2.7/unlock',
  ])
    assert.equal(quoteName(address), '', address);
});

test('a name with a period stays as it is', () => {
  for (const name of ['Acme Inc.', 'St. John', 'J.R. Smith & Co.', 'Version 2.0', 'U.S. Sales', 'wait... what'])
    assert.equal(quoteName(name), ` “${name}”`);
});
