import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callingCodeOf, formatPhoneNumber } from './phone-number.ts';

test('a number with the same calling code is written the national way', () => {
  assert.equal(formatPhoneNumber('+15555550197', '1'), '(555) 555-0197');
  assert.equal(formatPhoneNumber('+14165550123', '1'), '(416) 555-0123');
  assert.equal(formatPhoneNumber('+442079460958', '44'), '020 7946 0958');
});

test('a national prefix after the calling code is left out', () => {
  assert.equal(formatPhoneNumber('+4402079460958', '44'), '020 7946 0958');
  assert.equal(formatPhoneNumber('+4402079460958', '1'), '+44 20 7946 0958');
  assert.equal(formatPhoneNumber('+390612345678', '1'), '+39 06 1234 5678');
});

test('any other number is written with its calling code', () => {
  assert.equal(formatPhoneNumber('+442079460958', '1'), '+44 20 7946 0958');
  assert.equal(formatPhoneNumber('+15555550197', null), '+1 555 555 0197');
});

test('what is no phone number stays as it is', () => {
  for (const text of [
    '',
    '911',
    '15555550197',
    'sip:desk@example.com',
    '+12',
    '+99912345678',
    '+12345678901234',
    '+1 555',
  ])
    assert.equal(formatPhoneNumber(text, '1'), text);
});

test('the calling code of a number', () => {
  assert.equal(callingCodeOf('+4930123456'), '49');
  assert.equal(callingCodeOf('sip:desk@example.com'), null);
});
