import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { instantsOf } from './wall-clock.ts';

describe('a time on the wall', () => {
  for (const [title, zone, wall, earliest, latest] of [
    ['is shown once', 'Europe/Berlin', '2026-11-15T09:30', '2026-11-15T08:30', '2026-11-15T08:30'],
    [
      'is shown twice when the clocks go back',
      'Europe/Berlin',
      '2026-10-25T02:30',
      '2026-10-25T00:30',
      '2026-10-25T01:30',
    ],
    ['is skipped when they go forward', 'Europe/Berlin', '2026-03-29T02:30', '2026-03-29T00:30', '2026-03-29T01:30'],
    ['is itself in UTC', 'UTC', '2026-11-15T09:30', '2026-11-15T09:30', '2026-11-15T09:30'],
    ['is also found in the west', 'America/New_York', '2026-11-01T01:59', '2026-11-01T05:59', '2026-11-01T06:59'],
    ['is right before a change', 'America/New_York', '2026-11-01T00:59', '2026-11-01T04:59', '2026-11-01T04:59'],
    [
      'is right where half an hour is skipped',
      'Australia/Lord_Howe',
      '2026-10-04T12:00',
      '2026-10-04T01:00',
      '2026-10-04T01:00',
    ],
    ['belongs to a day that was left out', 'Pacific/Apia', '2011-12-30T12:00', '2011-12-29T22:00', '2011-12-30T22:00'],
  ] as const)
    test(`${title} (${zone})`, () => {
      const print = (instant: number): string => new Date(instant).toISOString().slice(0, 16);
      const found = instantsOf(Date.parse(`${wall}Z`), zone);
      assert.deepEqual([print(found.earliest), print(found.latest)], [earliest, latest]);
    });
});
