import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agoInText, moment, momentInText } from './moment.ts';
import { hourCycleFor, type Region } from './region.ts';

const NOW = Date.parse('2026-11-17T02:30:00Z');
const NEW_YORK: Region = { timeZone: 'America/New_York', hourCycle: 'h12', callingCode: '1', now: NOW };
const BERLIN: Region = { timeZone: 'Europe/Berlin', hourCycle: 'h23', callingCode: '49', now: NOW };

const wordsOf = (write: typeof moment, instant: string, region: Region): string =>
  /">(.*)<\/time>$/.exec(write(Date.parse(instant), region).toString())?.[1] ?? '';

test("a day is today or yesterday by the team's own calendar", () => {
  assert.equal(wordsOf(moment, '2026-11-16T21:43:00Z', NEW_YORK), 'Today, 4:43 PM');
  assert.equal(wordsOf(moment, '2026-11-16T21:43:00Z', BERLIN), 'Yesterday, 22:43');
  assert.equal(wordsOf(moment, '2026-11-16T04:59:00Z', NEW_YORK), 'Yesterday, 11:59 PM');
});

test('an earlier day has a year only if it is not this one', () => {
  assert.equal(wordsOf(moment, '2026-11-09T15:05:00Z', NEW_YORK), 'Nov 9, 10:05 AM');
  assert.equal(wordsOf(moment, '2025-12-31T23:05:00Z', BERLIN), 'Jan 1, 00:05');
  assert.equal(wordsOf(moment, '2025-12-31T12:00:00Z', BERLIN), 'Dec 31, 2025, 13:00');
});

test('yesterday stays yesterday on the day after the clocks change', () => {
  const region = { ...NEW_YORK, now: Date.parse('2026-11-02T05:30:00Z') };
  assert.equal(wordsOf(moment, '2026-11-01T04:10:00Z', region), 'Yesterday, 12:10 AM');
});

test('a sentence says when in its own words', () => {
  assert.equal(wordsOf(momentInText, '2026-11-16T21:43:00Z', NEW_YORK), 'today at 4:43 PM');
  assert.equal(wordsOf(momentInText, '2026-12-03T15:00:00Z', NEW_YORK), 'Dec 3 at 10:00 AM');
});

test('what was used lately says how long ago', () => {
  const agoOf = (instant: string) => wordsOf(agoInText, instant, NEW_YORK);
  assert.equal(agoOf('2026-11-17T02:30:20Z'), 'just now');
  assert.equal(agoOf('2026-11-17T02:29:10Z'), 'just now');
  assert.equal(agoOf('2026-11-17T02:28:00Z'), '2 min ago');
  assert.equal(agoOf('2026-11-16T21:29:00Z'), '5 h ago');
  assert.equal(agoOf('2026-11-16T04:59:00Z'), 'yesterday');
  assert.equal(agoOf('2025-11-09T15:05:00Z'), 'Nov 9, 2025');
});

test('the first language of the browser decides between 12 and 24 hours', () => {
  const cycleOf = (languages?: string) =>
    hourCycleFor({ ...(languages !== undefined && { 'accept-language': languages }) });
  assert.equal(cycleOf('en-US,en;q=0.9'), 'h12');
  assert.equal(cycleOf('en'), 'h12');
  assert.equal(cycleOf('de-DE,de;q=0.9,en-US;q=0.8'), 'h23');
  assert.equal(cycleOf('en-GB'), 'h23');
  for (const other of [undefined, '', '*', 'en_US', 'x'.repeat(5_000), 'de-a-b']) assert.equal(cycleOf(other), 'h23');
});
