import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenAt, settingsWhen } from './answer-settings.ts';

const office = { opens: '09:00', closes: '17:00' };
const hours = {
  monday: [office],
  tuesday: [office],
  wednesday: [office],
  thursday: [office],
  friday: [{ opens: '09:00', closes: '12:00' }],
  saturday: [],
  sunday: [],
};
const answer = {
  greeting: 'Hello',
  forwardTo: ['+15551230001'],
  hours: { open: null, outside: { greeting: 'We are closed.', forwardTo: [] } },
};
const greetingAt = (iso: string, timeZone = 'Europe/Berlin', businessHours: typeof hours | null = hours) =>
  settingsWhen(answer, isOpenAt(answer.hours, { businessHours, timeZone }, Date.parse(iso)), []).greeting;

test('a number is answered one way during business hours, another way outside', () => {
  assert.equal(greetingAt('2026-11-16T08:00:00Z'), 'Hello');
  assert.equal(greetingAt('2026-11-16T07:59:59Z'), 'We are closed.');
  assert.equal(greetingAt('2026-11-16T15:59:59Z'), 'Hello');
  assert.equal(greetingAt('2026-11-16T16:00:00Z'), 'We are closed.');
  assert.equal(greetingAt('2026-11-20T11:30:00Z'), 'We are closed.');
  assert.equal(greetingAt('2026-11-15T10:00:00Z'), 'We are closed.');
});

test('the hours follow the wall clock, even when it changes', () => {
  // In Berlin, summer time ends on October 25, 2026.
  assert.equal(greetingAt('2026-10-23T07:00:00Z'), 'Hello');
  assert.equal(greetingAt('2026-10-26T07:00:00Z'), 'We are closed.');
  assert.equal(greetingAt('2026-11-16T08:00:00Z', 'America/New_York'), 'We are closed.');
});

test('without hours it is always open', () => {
  assert.equal(greetingAt('2026-11-15T03:00:00Z', 'UTC', null), 'Hello');
});

test('defaults are filled in, and whoever is recorded is told', () => {
  const settings = settingsWhen({ record: true }, true, []);
  assert.deepEqual(
    [settings.voicemail, settings.ringSeconds, settings.notice],
    [true, 20, 'This call may be recorded.'],
  );
});
