import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findReportsDue, listFinishedWeeks, predatesTeam } from './due-weeks.ts';
import { spanOf } from './week.ts';

const createdAt = Date.parse('2026-10-01T12:00:00Z');

const nextOf = (now: string, newest: string | null): string =>
  new Date(findReportsDue({ createdAt, timeZone: 'UTC' }, Date.parse(now), newest).next).toISOString();

test('the next report is that of the first week that has none, on a Monday to come at eight', () => {
  assert.equal(nextOf('2026-11-15T12:00:00Z', '2026-W45'), '2026-11-16T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T07:00:00Z', '2026-W45'), '2026-11-16T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T07:00:00Z', '2026-W46'), '2026-11-23T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T08:00:00Z', '2026-W46'), '2026-11-23T08:00:00.000Z');
  assert.equal(nextOf('2026-11-16T08:00:00Z', null), '2026-11-23T08:00:00.000Z');
});

test('a team that has moved west may have the report of a week that is not over there', () => {
  assert.equal(nextOf('2026-11-15T20:00:00Z', '2026-W46'), '2026-11-23T08:00:00.000Z');
});

/** Sunday at 11 p.m. in New York; elsewhere it is Monday. */
const SUNDAY_NIGHT = Date.parse('2026-11-16T04:00:00Z');

test('a new team’s first report is that of the week in which it was created', () => {
  const now = Date.parse('2026-11-16T09:00:00Z');
  const due = (timeZone: string) => findReportsDue({ createdAt: SUNDAY_NIGHT, timeZone }, now, null);
  assert.deepEqual(due('UTC'), { last: null, next: Date.parse('2026-11-23T08:00:00Z') });
  const [last, next] = ['2026-11-16T13:00:00Z', '2026-11-16T13:00:00Z'].map((time) => Date.parse(time));
  assert.deepEqual(due('America/New_York'), { last, next });
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
