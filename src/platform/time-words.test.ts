import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hourCycleIn, momentWords, type TimeStyle } from './time-words.ts';

const NOW = Date.parse('2026-11-16T08:00:00Z');
const wordsFor = (instant: string, timeZone: string, hourCycle: TimeStyle['hourCycle']): string =>
  momentWords(Date.parse(instant), { timeZone, hourCycle, now: NOW });

test('a moment is written by the wall clock, with a year only if it is not this one', () => {
  assert.equal(wordsFor('2026-11-09T13:05:00Z', 'Europe/Berlin', 'h23'), 'Nov 9, 14:05');
  assert.equal(wordsFor('2026-11-09T05:00:00Z', 'America/New_York', 'h23'), 'Nov 9, 00:00');
  assert.equal(wordsFor('2026-11-09T05:00:00Z', 'America/New_York', 'h12'), 'Nov 9, 12:00 AM');
  assert.equal(wordsFor('2026-12-31T23:30:00Z', 'Europe/Berlin', 'h23'), 'Jan 1, 2027, 00:30');
});

test('people use 12 or 24 hours by where they are', () => {
  for (const zone of ['America/New_York', 'america/los_angeles', 'Australia/Sydney', 'Asia/Kolkata', 'Asia/Calcutta'])
    assert.equal(hourCycleIn(zone), 'h12', zone);
  for (const zone of ['Europe/Berlin', 'Europe/London', 'Asia/Tokyo', 'UTC', 'Etc/GMT+3'])
    assert.equal(hourCycleIn(zone), 'h23', zone);
});
