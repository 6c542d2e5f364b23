import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callingCodeOf, formatPhoneNumber, formsOf, isWrittenAs } from './phone-number.ts';

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

test('the forms of a number', () => {
  assert.deepEqual(formsOf('+442079460958'), {
    e164: '+442079460958',
    allDigits: '442079460958',
    national: '2079460958',
  });
  for (const text of ['', '911', '5555550197', 'sip:desk@example.com', '+12']) assert.equal(formsOf(text), null);
});

test('a number is recognized however people have written it', () => {
  for (const text of ['020 7946 0958', '+44 (0)20 7946 0958', '+442079460958', '00442079460958', '442079460958'])
    assert.equal(isWrittenAs(text, '+442079460958'), true, text);
  for (const text of ['(555) 555-0197', '555.555.0197', '1 555 555 0197', '+1 555 555 0197 ext. 4'])
    assert.equal(isWrittenAs(text, '+15555550197'), true, text);
});

test('a part of a number, or the same digits in another country, is another number', () => {
  for (const text of ['', '555-0197', '+49 555 5550197', '5'.repeat(5_000), 'Jane', '+1 555 555 01970'])
    assert.equal(isWrittenAs(text, '+15555550197'), false, text);
});
