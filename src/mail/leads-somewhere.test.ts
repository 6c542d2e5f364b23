import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsSomewhere } from './leads-somewhere.ts';

for (const text of [
  'evil.com',
  '\u0938\u0947\u0935\u093e.com',
  'x.\u092d\u093e\u0930\u0924',
  'i\u2764.ws',
  'evil\uff0ecom',
  'evil.\u200dcom',
  '1.1.1.1',
  'call tel:+19005551234',
  'skype:x?call',
  'SMS\uff1a+1900',
])
  test(`a text becomes a link: ${text}`, () => assert.equal(leadsSomewhere(text), true));

for (const text of ['Acme Inc.', 'St. John', 'Hotel: Berlin', 'Hotel:Berlin', 'Wait\u2026what', 'Version 2.5', '10:30'])
  test(`a text stays a text: ${text}`, () => assert.equal(leadsSomewhere(text), false));
