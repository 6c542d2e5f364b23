import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barChart } from './bar-chart.ts';

type Bar = { answered?: number; unanswered?: number };

const draw = (bars: readonly Bar[]): string =>
  String(
    barChart({
      label: 'Calls per week',
      parts: { answered: 'answered', unanswered: 'unanswered' },
      bars: bars.map((counts, index) => ({ name: `W${index + 1}`, title: `Week ${index + 1}`, counts })),
    }),
  );

/** The drawn parts of all bars, from left to right and from bottom to top. */
const rectsOf = (bars: readonly Bar[]): string[] =>
  [...draw(bars).matchAll(/<rect data-outcome="(\w+)" x="(\S+)" y="(\S+)" width="6" height="(\S+)"\/>/g)].map(
    ([, outcome, x, y, height]) => `${outcome} ${x} ${y} ${height}`,
  );

test('without weeks or calls, there are no bars', () => {
  assert.deepEqual(rectsOf([]), []);
  assert.deepEqual(rectsOf([{}, { answered: 0, unanswered: 0 }]), []);
  assert.match(draw([]), /aria-label="Calls per week\."/);
});

test('the tallest bar is as high as the chart, and the others are to scale', () => {
  assert.deepEqual(rectsOf([{ answered: 10 }, { answered: 5 }]), ['answered 2 0 120', 'answered 12 61 59']);
});

test('bars that are all equal are all as high as the chart', () => {
  assert.deepEqual(rectsOf([{ answered: 3 }, { answered: 3 }]), ['answered 2 0 120', 'answered 12 0 120']);
});

test('parts are stacked with a gap between them', () => {
  assert.deepEqual(rectsOf([{ answered: 90, unanswered: 30 }]), ['answered 2 31 89', 'unanswered 2 0 30']);
});

test('huge values stay within the chart', () => {
  const most = Number.MAX_SAFE_INTEGER;
  assert.deepEqual(rectsOf([{ answered: most, unanswered: most }, { answered: most / 2 }]), [
    'answered 2 61 59',
    'unanswered 2 0 60',
    'answered 12 91 29',
  ]);
});

test('it can be read aloud, and each bar on its own', () => {
  const drawn = draw([{ answered: 1_234 }]);
  assert.match(drawn, /aria-label="Calls per week\. Week 1: 1,234 answered, 0 unanswered\."/);
  assert.match(drawn, /<title>Week 1: 1,234 answered, 0 unanswered<\/title>/);
});
