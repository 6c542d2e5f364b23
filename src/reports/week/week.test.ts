import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { lastFinishedWeek, parseWeek, shiftWeek, spanOf, weekAt } from './week.ts';

const HOUR_MS = 3_600_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Santiago',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Asia/Beirut',
  'America/Havana',
  'America/Asuncion',
  'America/Scoresbysund',
];
const hoursOf = (week: string, zone: string): number => {
  const { startsAt, endsAt } = spanOf(week, zone);
  return (endsAt - startsAt) / HOUR_MS;
};

describe('a week', () => {
  for (const [week, zone, hours] of [
    ['2026-W13', 'Europe/Berlin', 167],
    ['2026-W43', 'Europe/Berlin', 169],
    ['2026-W10', 'America/New_York', 167],
    ['2026-W44', 'America/New_York', 169],
    ['2026-W14', 'Australia/Lord_Howe', 168.5],
    ['2026-W46', 'Europe/Berlin', 168],
  ] as const)
    test(`${week} in ${zone} has ${hours} hours`, () => assert.equal(hoursOf(week, zone), hours));

  test('begins on Monday, where the team is', () => {
    assert.equal(new Date(spanOf('2026-W46', 'Europe/Berlin').startsAt).toISOString(), '2026-11-08T23:00:00.000Z');
    assert.equal(new Date(spanOf('2026-W46', 'America/New_York').startsAt).toISOString(), '2026-11-09T05:00:00.000Z');
  });

  test('belongs to the year of its Thursday', () => {
    assert.equal(weekAt(Date.parse('2026-12-28T12:00:00Z'), 'UTC'), '2026-W53');
    assert.equal(weekAt(Date.parse('2027-01-03T12:00:00Z'), 'UTC'), '2026-W53');
    assert.equal(weekAt(Date.parse('2024-12-30T12:00:00Z'), 'UTC'), '2025-W01');
    assert.equal(shiftWeek('2026-W53', 1), '2027-W01');
    assert.equal(shiftWeek('2025-W01', -1), '2024-W52');
  });

  test('is known by its name, and nothing else is', () => {
    assert.equal(parseWeek('2026-W53'), '2026-W53');
    for (const wrong of ['2026-W54', '2027-W53', '2026-W00', '2026-46', 'W46', '2026-W1', '26-W01', '', '2026-W46 '])
      assert.equal(parseWeek(wrong), null, wrong);
  });

  test('that is over is the one before this', () => {
    assert.equal(lastFinishedWeek(Date.parse('2026-11-15T22:59:59Z'), 'Europe/Berlin'), '2026-W45');
    assert.equal(lastFinishedWeek(Date.parse('2026-11-15T23:00:00Z'), 'Europe/Berlin'), '2026-W46');
  });

  test('follows the one before without a gap, and holds every instant once', () => {
    const instants = fc.integer({ min: Date.parse('2015-01-01'), max: Date.parse('2035-01-01') });
    fc.assert(
      fc.property(instants, fc.constantFrom(...ZONES), (instant, zone) => {
        const week = weekAt(instant, zone);
        const { startsAt, endsAt } = spanOf(week, zone);
        assert.ok(startsAt <= instant && instant < endsAt, `${new Date(instant).toISOString()} ${zone} ${week}`);
        assert.equal(spanOf(shiftWeek(week, 1), zone).startsAt, endsAt);
        assert.equal(weekAt(startsAt, zone), week);
        assert.equal(weekAt(startsAt - 1, zone), shiftWeek(week, -1));
        assert.equal(parseWeek(week), week);
      }),
      { numRuns: 500 },
    );
  });
});
