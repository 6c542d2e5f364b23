import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertWellFormed } from '../../../test/harness/well-formed.ts';
import { busyRows, formatHeat, measureHeatChart, renderHeatChart } from './heat-chart.ts';

const heatOf = (...cells: [day: number, hour: number, calls: number | null][]): (number | null)[][] => {
  const heat: (number | null)[][] = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const [day, hour, calls] of cells) heat[day] = heat[day]?.with(hour, calls) ?? [];
  return heat;
};

/** The text of each cell, hour by hour. */
const cellsOf = (svg: string): string[] =>
  [...svg.matchAll(/<rect [^>]*\/>(?:<text [^>]*>([^<]*)<)?/g)].map(([, text = '']) => text);

describe('the chart of hours', () => {
  const heat = heatOf([0, 8, 12], [1, 10, 41], [6, 9, null], [4, 17, 1_000_000]);
  let svg: string;

  before(async () => {
    svg = await renderHeatChart(heat, 'h23');
  });

  test('is well-formed, with a title, a description and colors for light and dark', () => {
    assertWellFormed(svg);
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 360 \d+"/);
    assert.match(svg, /<title id="title">Calls by weekday and hour<\/title>/);
    assert.match(svg, /<desc id="desc">Most calls in one hour: 1,000,000, on Friday at 17:00\.<\/desc>/);
    assert.match(svg, /@media \(prefers-color-scheme:dark\)/);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity|<script|href/);
  });

  test('has every hour from the first with calls to the last, and a dash for one the clocks skipped', () => {
    const cells = cellsOf(svg);
    assert.equal(cells.length, 10 * 7);
    assert.deepEqual([cells[0], cells[2 * 7 + 1], cells[9 * 7 + 4], cells[7 + 6]], ['12', '41', '1M', '–']);
    assert.equal(cells.filter((cell) => cell === '').length, 66);
    assert.equal(svg.match(/class="gone"/g)?.length, 1);
    for (const name of ['Mon', 'Sun', '08', '12', '17']) assert.ok(svg.includes(`>${name}</text>`));
    for (const name of ['07', '18']) assert.ok(!svg.includes(`>${name}</text>`));
  });

  test('has hours as its reader writes them', async () => {
    const chart = await renderHeatChart(heatOf([0, 0, 1], [4, 13, 2]), 'h12');
    assert.deepEqual(
      [...chart.matchAll(/>(\d+ [AP]M)<\/text>/g)].map(([, hour]) => hour),
      ['12 AM', ...Array.from({ length: 11 }, (_, hour) => `${hour + 1} AM`), '12 PM', '1 PM'],
    );
    assert.match(chart, /Most calls in one hour: 2, on Friday at 1 PM\./);
  });

  test('is as high as its hours, up to all 24', async () => {
    const whole = heatOf([0, 0, 1], [6, 23, 1]);
    const { width, height } = measureHeatChart(whole);
    assert.match(await renderHeatChart(whole, 'h23'), new RegExp(`width="${width}" height="${height}"`));
    assert.equal(cellsOf(await renderHeatChart(whole, 'h23')).length, 168);
    assert.ok(measureHeatChart(heatOf([3, 9, 1])).height < height / 10);
  });

  test('is darker for more calls, and never so dark that the figure is lost', () => {
    const depths = [...svg.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, depth]) => Number(depth));
    assert.equal(Math.max(...depths), 0.45);
    assert.equal(depths.filter((depth) => depth >= 0.12).length, 3);
  });

  test('is still a chart for an empty week, or none at all', async () => {
    for (const nothing of [heatOf(), []]) {
      const chart = await renderHeatChart(nothing, 'h23');
      assertWellFormed(chart);
      assert.match(chart, /No calls this week\./);
      assert.equal(cellsOf(chart).length, 10 * 7);
    }
  });
});

test('as plain text has the hours in which anything happened or could not', () => {
  const heat = heatOf([0, 8, 12], [1, 8, 1_234], [6, 2, null]);
  assert.deepEqual(
    busyRows(heat, 'h23').map(({ hour }) => hour),
    ['02', '08'],
  );
  assert.deepEqual(formatHeat(heat, 'h23').split('\n'), [
    '     Mon   Tue   Wed   Thu   Fri   Sat   Sun',
    '02     0     0     0     0     0     0     –',
    '08    12 1,234     0     0     0     0     0',
  ]);
  assert.deepEqual(formatHeat(heatOf([0, 1, 7], [6, 12, 1_234]), 'h12').split('\n'), [
    '        Mon   Tue   Wed   Thu   Fri   Sat   Sun',
    ' 1 AM     7     0     0     0     0     0     0',
    '12 PM     0     0     0     0     0     0 1,234',
  ]);
  assert.equal(formatHeat(heatOf(), 'h23'), 'No calls this week.');
});
