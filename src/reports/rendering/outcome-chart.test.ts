import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertWellFormed } from '../../../test/harness/well-formed.ts';
import type { Figures } from '../figures/figures.ts';
import { renderOutcomeChart } from './outcome-chart.ts';

const outcomesOf = (values: number[], befores: (number | null)[] = []): Figures['outcomes'] => {
  const at = (index: number) => ({ value: values[index] ?? 0, before: befores[index] ?? null });
  return { answered: at(0), missed: at(1), abandoned: at(2), voicemail: at(3), other: at(4) };
};

const widthsOf = (svg: string): number[] =>
  [...svg.matchAll(/class="(?:answered|missed|abandoned|voicemail|other)" [^>]*width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );

describe('the chart of outcomes', () => {
  let svg: string;

  before(async () => {
    svg = await renderOutcomeChart(outcomesOf([1_000_000, 500_000, 7, 0, 3], [400_000, 0, null, 2_000_000, 5]));
  });

  test('is well-formed, with a title, every figure in its description, and colors for light and dark', () => {
    assertWellFormed(svg);
    assert.match(svg, /<title id="title">How inbound calls ended<\/title>/);
    assert.match(svg, /Answered: 1,000,000 \(the week before: 400,000\)\. Missed: 500,000 \(the week before: 0\)\./);
    assert.match(svg, /Abandoned: 7\. Voicemail: 0 \(the week before: 2,000,000\)\. Other: 3/);
    assert.match(svg, /@media \(prefers-color-scheme:dark\)/);
    for (const figure of ['1,000,000', '500,000', '7', '0', '3'])
      assert.ok(svg.includes(`text-anchor="end">${figure}</text>`));
  });

  test('has bars as long as their figures, on one scale with the week before', () => {
    const [answered = 0, missed = 0, , voicemail] = widthsOf(svg);
    assert.equal(answered, 89);
    assert.equal(missed, answered / 2);
    assert.equal(voicemail, 0);
  });

  test('marks the week before if there was one, and only then explains the mark', async () => {
    assert.equal(svg.match(/class="before"/g)?.length, 4 + 1);
    const alone = await renderOutcomeChart(outcomesOf([5]));
    assert.doesNotMatch(alone, /class="before"|the week before/);
    assertWellFormed(alone);
  });

  test('has five empty bars for an empty week', async () => {
    const empty = await renderOutcomeChart(outcomesOf([]));
    assertWellFormed(empty);
    assert.deepEqual(widthsOf(empty), [0, 0, 0, 0, 0]);
    assert.doesNotMatch(empty, /NaN|undefined|Infinity/);
  });
});
