import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { empty } from '../../../test/harness/report-figures.ts';
import type { Team } from '../../teams/index.ts';
import type { WeekNow } from './count-week-now.ts';
import { createWatchWeek } from './watch-week.ts';

const NOON = Date.parse('2026-11-11T12:00:00Z');
const MINUTE_MS = 60_000;

const teamOf = (id: string, timeZone = 'UTC') => ({ id, timeZone, businessHours: null }) as Team;

/** The counts of a watch, in the order they were begun. Each count ends when the test says so. */
const openWatch = (mostTeams?: number) => {
  const clock = { time: NOON, now: () => clock.time };
  const counts: (PromiseWithResolvers<WeekNow> & { team: string; week: string })[] = [];
  const warnings: unknown[] = [];
  const log = { warn: (...told: unknown[]) => warnings.push(told) };
  const countWeekNow = ({ id }: Team, week: string): Promise<WeekNow> => {
    const count = { team: id, week, ...Promise.withResolvers<WeekNow>() };
    counts.push(count);
    return count.promise;
  };
  const context = { clock, log } as unknown as Parameters<typeof createWatchWeek>[0];
  const watchWeek = createWatchWeek(context, countWeekNow, mostTeams === undefined ? {} : { mostTeams });
  const watch = (team: Team, isDemo = false, seen = '') => watchWeek(team, isDemo, seen);
  const finish = async (index: number, inbound: number): Promise<void> => {
    const calls = { ...empty.calls, inbound: { value: inbound, before: null } };
    counts[index]?.resolve({ asOf: clock.time, figures: { ...empty, calls }, isDemo: false });
    await new Promise(setImmediate);
  };
  return { clock, counts, warnings, watch, finish };
};

describe('the current week at a glance', () => {
  const team = teamOf('acme');

  test('is counted at most once a minute, and shows the last count meanwhile', async () => {
    const { clock, counts, watch, finish } = openWatch();
    assert.equal(watch(team).last, null);
    watch(team);
    assert.equal(counts.length, 1);
    await finish(0, 3);
    assert.deepEqual([watch(team).last?.glance.inbound, watch(team).underWay], [3, null]);
    clock.time += MINUTE_MS - 1;
    watch(team);
    assert.equal(counts.length, 1);
    clock.time += 1;
    const seen = watch(team);
    assert.equal(counts.length, 2);
    assert.deepEqual(seen.last?.asOf, NOON);
    await finish(1, 5);
    assert.deepEqual([watch(team).last?.glance.inbound, watch(team).last?.asOf], [5, NOON + MINUTE_MS]);
  });

  test('is counted again after seconds if it had no calls', async () => {
    const { clock, counts, watch, finish } = openWatch();
    watch(team);
    await finish(0, 0);
    clock.time += 1_999;
    watch(team);
    assert.equal(counts.length, 1);
    clock.time += 1;
    watch(team);
    await finish(1, 4);
    clock.time += 2_000;
    assert.equal(watch(team).last?.glance.inbound, 4);
    assert.equal(counts.length, 2);
  });

  test('is counted again at once if something has changed, and then rests', async () => {
    const { clock, counts, watch, finish } = openWatch();
    watch(team, false, 'one call');
    clock.time += 100;
    await finish(0, 1);
    clock.time += 1_900;
    assert.equal(watch(team, false, 'two calls').last?.seen, 'one call');
    await finish(1, 2);
    assert.deepEqual([watch(team, false, 'two calls').last?.seen, counts.length], ['two calls', 2]);
    clock.time += 1;
    watch(team, false, 'three calls');
    await finish(2, 3);
    assert.equal(counts.length, 3, 'A count that takes no time needs no rest.');
    clock.time += 1;
    watch(team, false, 'four calls');
    clock.time += 1_000;
    await finish(3, 4);
    clock.time += 18_999;
    watch(team, false, 'five calls');
    assert.equal(counts.length, 4);
    clock.time += 1;
    watch(team, false, 'five calls');
    assert.equal(counts.length, 5);
  });

  test('has one count under way, however long it takes', () => {
    const { clock, counts, watch } = openWatch();
    for (let minute = 0; minute < 10; minute++) {
      watch(team);
      clock.time += MINUTE_MS;
    }
    assert.equal(counts.length, 1);
  });

  test('stays as it was if a count fails, and is tried again a minute later', async () => {
    const { clock, counts, warnings, watch, finish } = openWatch();
    watch(team);
    await finish(0, 3);
    clock.time += MINUTE_MS;
    const { underWay } = watch(team);
    counts[1]?.reject(new Error('The database is away.'));
    await underWay;
    assert.equal(warnings.length, 1);
    assert.equal(watch(team).last?.glance.inbound, 3);
    assert.equal(counts.length, 2);
    clock.time += MINUTE_MS;
    watch(team);
    assert.equal(counts.length, 3);
  });

  test('begins anew as soon as demo calls no longer count', async () => {
    const { counts, watch, finish } = openWatch();
    watch(team, true);
    await finish(0, 3);
    assert.deepEqual([watch(team, true).last?.glance.inbound, watch(team, false).last], [3, null]);
    assert.equal(counts.length, 2);
  });

  test('begins anew with another week, and with another time zone', async () => {
    const { clock, counts, watch, finish } = openWatch();
    watch(team);
    await finish(0, 3);
    assert.equal(watch(teamOf('acme', 'Asia/Tokyo')).last, null);
    clock.time += 7 * 24 * 60 * MINUTE_MS;
    assert.equal(watch(team).last, null);
    assert.deepEqual(
      counts.map(({ week }) => week),
      ['2026-W46', '2026-W46', '2026-W47'],
    );
  });

  test('is forgotten for the team that was looked at longest ago when there are too many', async () => {
    const { counts, watch, finish } = openWatch(2);
    watch(teamOf('one'));
    await finish(0, 1);
    watch(teamOf('two'));
    await finish(1, 2);
    watch(teamOf('one'));
    watch(teamOf('three'));
    assert.equal(watch(teamOf('one')).last?.glance.inbound, 1);
    assert.equal(counts.length, 3);
    assert.equal(watch(teamOf('two')).last, null);
  });
});
