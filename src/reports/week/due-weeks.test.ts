import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DAYS, FIRST_SETTINGS, type ReportSchedule } from '../../teams/index.ts';
import { dueAt, findReportsDue, listFinishedWeeks, predatesTeam } from './due-weeks.ts';
import { shiftWeek, spanOf, weekAt } from './week.ts';

const createdAt = Date.parse('2026-10-01T12:00:00Z');
const { reportSchedule: MONDAY_AT_8 } = FIRST_SETTINGS;
const FRIDAY_AT_17: ReportSchedule = { day: 'friday', hour: 17 };

const findDue = (now: string, newest: string | null, reportSchedule = MONDAY_AT_8) =>
  findReportsDue({ createdAt, timeZone: 'UTC', reportSchedule }, Date.parse(now), newest);
const nextOf = (...asked: Parameters<typeof findDue>): string => new Date(findDue(...asked).next).toISOString();

test('the next report is that of the first week that has none, on a Monday to come at eight', () => {
  assert.equal(nextOf('2026-11-15T12:00:00Z', '2026-W45'), '2026-11-16T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T07:00:00Z', '2026-W45'), '2026-11-16T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T07:00:00Z', '2026-W46'), '2026-11-23T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T08:00:00Z', '2026-W46'), '2026-11-23T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T08:00:00Z', null), '2026-11-23T08:00:00.000Z');
});

test('the next report comes on the day and hour that the team has chosen', () => {
  assert.equal(nextOf('2026-11-16T08:00:00Z', '2026-W45', FRIDAY_AT_17), '2026-11-20T17:00:00.000Z');
  assert.equal(nextOf('2026-11-16T08:00:00Z', '2026-W46', FRIDAY_AT_17), '2026-11-27T17:00:00.000Z');
  assert.equal(nextOf('2026-11-16T08:00:00Z', '2026-W46', { day: 'sunday', hour: 23 }), '2026-11-29T23:00:00.000Z');
  assert.equal(nextOf('2026-11-16T00:00:00Z', '2026-W45', { day: 'monday', hour: 0 }), '2026-11-23T00:00:00.000Z');
});

test('a report whose time has come is late until it exists', () => {
  assert.equal(findDue('2026-11-16T07:59:59Z', '2026-W45').isLate, false);
  assert.equal(findDue('2026-11-16T08:00:00Z', '2026-W45').isLate, true);
  assert.equal(findDue('2026-11-16T08:00:00Z', null).isLate, true);
  assert.equal(findDue('2026-11-16T08:00:00Z', '2026-W46').isLate, false);
  assert.equal(findDue('2026-11-18T08:00:00Z', '2026-W45', FRIDAY_AT_17).isLate, false);
});

test('a team that has moved west may have the report of a week that is not over there', () => {
  assert.equal(nextOf('2026-11-15T20:00:00Z', '2026-W46'), '2026-11-23T08:00:00.000Z');
});

describe('the time when a report is due', () => {
  const at = (day: ReportSchedule['day'], hour: number): ReportSchedule => ({ day, hour });
  for (const [title, week, zone, reportSchedule, expected] of [
    ['is by the clock on the wall', '2026-W46', 'Europe/Berlin', MONDAY_AT_8, '2026-11-16T07:00'],
    ['is an hour earlier in summer', '2026-W30', 'Europe/Berlin', MONDAY_AT_8, '2026-07-27T06:00'],
    ['moves with the clocks', '2027-W11', 'Europe/Berlin', at('sunday', 8), '2027-03-28T06:00'],
    ['is later if the clocks skip it', '2027-W11', 'Europe/Berlin', at('sunday', 2), '2027-03-28T01:00'],
    ['is the first if they repeat it', '2026-W42', 'Europe/Berlin', at('sunday', 2), '2026-10-25T00:00'],
    ['is right after a repeated hour', '2026-W42', 'Europe/Berlin', at('sunday', 3), '2026-10-25T02:00'],
    ['can be a midnight that is skipped', '2026-W35', 'America/Santiago', at('sunday', 0), '2026-09-06T04:00'],
    ['can be in a zone of quarter hours', '2026-W46', 'Asia/Kathmandu', MONDAY_AT_8, '2026-11-16T02:15'],
    ['can be in half an hour that is skipped', '2026-W39', 'Australia/Lord_Howe', at('sunday', 2), '2026-10-03T15:30'],
  ] as const)
    test(`${title} (${zone})`, () => {
      const due = dueAt(week, { timeZone: zone, reportSchedule });
      assert.equal(new Date(due).toISOString().slice(0, 16), expected);
    });

  test('is never before the week is over nor after the next one, and weeks follow one another', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Africa/Cairo', 'America/Havana'];
    const others = ['Australia/Lord_Howe', 'Asia/Beirut', 'America/Asuncion', 'America/Nuuk', 'Pacific/Kiritimati'];
    fc.assert(
      fc.property(
        fc.integer({ min: Date.parse('2015-01-01'), max: Date.parse('2035-01-01') }),
        fc.constantFrom(...zones, ...others),
        fc.record({ day: fc.constantFrom(...DAYS), hour: fc.integer({ min: 0, max: 23 }) }),
        (instant, timeZone, reportSchedule) => {
          const week = weekAt(instant, timeZone);
          const following = shiftWeek(week, 1);
          const due = dueAt(week, { timeZone, reportSchedule });
          assert.ok(spanOf(week, timeZone).endsAt <= due, `${week} ${timeZone}`);
          assert.ok(due <= spanOf(following, timeZone).endsAt, `${week} ${timeZone}`);
          assert.ok(due < dueAt(following, { timeZone, reportSchedule }));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Sunday at 11 p.m. in New York, and already Monday in most of the world. */
const SUNDAY_NIGHT = Date.parse('2026-11-16T04:00:00Z');

test('a new team’s first report is that of the week in which it was created', () => {
  const now = Date.parse('2026-11-16T09:00:00Z');
  const due = (timeZone: string) =>
    findReportsDue({ createdAt: SUNDAY_NIGHT, timeZone, reportSchedule: MONDAY_AT_8 }, now, null);
  assert.deepEqual(due('UTC'), { last: null, isLate: false, next: Date.parse('2026-11-23T08:00:00Z') });
  const [last, next] = ['2026-11-16T13:00:00Z', '2026-11-16T13:00:00Z'].map((time) => Date.parse(time));
  assert.deepEqual(due('America/New_York'), { last, isLate: false, next });
});

test('the finished weeks begin with the one in which the team was created, in its own time zone', () => {
  const finished = (timeZone: string, now: string) =>
    listFinishedWeeks({ createdAt: SUNDAY_NIGHT, timeZone }, Date.parse(now));
  assert.deepEqual(finished('UTC', '2026-11-16T04:00:00Z'), []);
  assert.deepEqual(finished('UTC', '2026-11-22T23:59:59Z'), []);
  assert.deepEqual(finished('UTC', '2026-11-23T00:00:00Z'), ['2026-W47']);
  assert.deepEqual(finished('America/New_York', '2026-11-16T04:00:00Z'), []);
  assert.deepEqual(finished('America/New_York', '2026-11-16T05:00:00Z'), ['2026-W46']);
  assert.deepEqual(finished('America/New_York', '2026-11-23T05:00:00Z'), ['2026-W47', '2026-W46']);
  assert.equal(finished('UTC', '2027-11-22T00:00:00Z').length, 9, 'The last one, and eight before it.');
});

test('a week that ended the moment the team was created predates it', () => {
  const { endsAt } = spanOf('2026-W46', 'UTC');
  assert.equal(predatesTeam({ endsAt }, { createdAt: endsAt }), true);
  assert.equal(predatesTeam({ endsAt }, { createdAt: endsAt - 1 }), false);
  assert.deepEqual(listFinishedWeeks({ createdAt: endsAt, timeZone: 'UTC' }, endsAt), []);
  assert.deepEqual(listFinishedWeeks({ createdAt: endsAt - 1, timeZone: 'UTC' }, endsAt), ['2026-W46']);
});
