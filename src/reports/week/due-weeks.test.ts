import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findReportsDue } from './due-weeks.ts';

const nextOf = (now: string, newest: string | null): string =>
  new Date(findReportsDue('UTC', Date.parse(now), newest).next).toISOString();

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
