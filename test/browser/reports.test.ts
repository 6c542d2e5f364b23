import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Person } from '../../src/dashboard/person.ts';
import { reportPage } from '../../src/dashboard/reports/report-page.ts';
import { renderHeatChart } from '../../src/reports/rendering/heat-chart.ts';
import { renderOutcomeChart } from '../../src/reports/rendering/outcome-chart.ts';
import { renderMail } from '../../src/reports/rendering/render-mail.ts';
import { FIRST_SETTINGS } from '../../src/teams/records/team.ts';
import { full, typed, viewOf } from '../harness/report-figures.ts';
import { openStillPages, type StillPages } from './still-pages.ts';

const NOW = Date.parse('2026-11-16T08:00:00Z');
const LONGEST = 'W'.repeat(200);

const person: Person = {
  ...{ userId: 'u', who: 'admin@example.com', role: 'admin', csrfToken: 'token', otherTeams: [] },
  team: { ...FIRST_SETTINGS, id: 't', key: null, name: LONGEST, createdAt: 0 },
  region: { timeZone: 'Europe/Berlin', hourCycle: 'h12', callingCode: '49', now: NOW },
};

const waitingOf = (callers: number) =>
  Array.from({ length: callers }, (_, index) => ({
    ...{ callId: String(index), from: `+4930${100_000 + index}`, at: '2026-11-09T13:05:00.000Z', outcome: 'missed' },
    person: null,
  }));

const stillOf = async (figures: typeof full, isOver = true) => {
  const view = { ...viewOf(figures, LONGEST), createdAt: NOW, dueAt: NOW, isOver };
  const path = `/reports/${view.week}`;
  return {
    ...{ person, path },
    page: reportPage(person, {
      report: view as Parameters<typeof reportPage>[1]['report'],
      dispatches: [],
      around: { previous: '2026-W45', next: null },
      recipients: { addresses: [`${'m'.repeat(64)}@${'d'.repeat(180)}.example`], slack: true, sendsMail: true },
    }),
    drawings: {
      [`${path}/heat.svg`]: await renderHeatChart(figures.heat, 'h12'),
      [`${path}/outcomes.svg`]: await renderOutcomeChart(figures.outcomes),
    },
  };
};

/** The sheets with nothing, or something shorter, beside them. */
const FIND_UNEVEN = `(() => {
  const boxes = [...document.querySelectorAll('.report .sheet')].map((sheet) => ({
    name: sheet.querySelector('h2').textContent,
    box: sheet.getBoundingClientRect(),
  }));
  const { left, right } = document.querySelector('.report').getBoundingClientRect();
  const isWhole = ({ left: from, right: to }) => from - left < 1 && right - to < 1;
  const halves = boxes.filter(({ box }) => !isWhole(box));
  const isMatched = ({ box }) => halves.some((other) => Math.abs(other.box.left - box.left) > 1 && Math.abs(other.box.bottom - box.bottom) < 1);
  const isAbove = ({ box }) => halves.some((other) => Math.abs(other.box.left - box.left) < 1 && other.box.top > box.bottom && other.box.top - box.bottom < 24);
  return halves.filter((one) => !isMatched(one) && !isAbove(one)).map(({ name }) => name);
})()`;

/** The words that are on more than one line. */
const FIND_BROKEN = `(() => {
  const words = [];
  for (const cell of document.querySelectorAll('.waiting tbody :is(th, td)')) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      for (const { index, 0: word } of node.data.matchAll(/[^\\s]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
      }
  }
  return words;
})()`;

describe('the page of a report', () => {
  let stills: StillPages;
  before(async () => {
    stills = await openStillPages();
  });
  after(() => stills.close());

  test('passes axe and never scrolls sideways with the longest values', async () => {
    assert.deepEqual(await stills.findFlaws(await stillOf(typed(LONGEST))), []);
  });

  test('is also an email that fits on a phone with the longest values', async () => {
    const links = { report: `https://pb.test/${LONGEST}`, unsubscribe: `https://pb.test/${LONGEST}` };
    assert.equal(await stills.measureMail(renderMail(viewOf(typed(LONGEST), LONGEST), links).html), 320);
  });

  test('shows charts first, and five rows of a long list before the rest', async () => {
    const text = await stills.read(await stillOf({ ...full, unreturned: { total: 12, oldest: waitingOf(12) } }));
    assert.ok(text.indexOf('Calls by hour') < text.indexOf('Waiting for a call back'));
    assert.match(text, /Show all 12/);
    assert.ok(text.includes('100004') && !text.includes('100005'), text);
  });

  test('has no column that ends before the one beside it', async () => {
    for (const figures of [full, { ...full, missedByHours: null }, { ...full, integrations: [] }]) {
      const uneven = await stills.measure(await stillOf(figures), 1_280, FIND_UNEVEN);
      assert.deepEqual(uneven, []);
    }
  });

  test('breaks no word of a caller who waits on a phone', async () => {
    const calls = (outcome: string) =>
      waitingOf(3).map((one, index) => ({ ...one, from: `+49151123456${index}8`, outcome }));
    for (const outcome of ['voicemail', 'abandoned']) {
      const still = await stillOf({ ...full, unreturned: { total: 3, oldest: calls(outcome) } });
      assert.deepEqual(await stills.measure(still, 390, FIND_BROKEN), []);
    }
  });

  test('says that a week is not over', async () => {
    const text = await stills.read(await stillOf({ ...full, unreturned: { total: 2, oldest: waitingOf(2) } }, false));
    assert.match(text, /This week isn't over yet/);
    assert.match(text, /2 calls so far/);
    assert.doesNotMatch(text, /when the report was created/);
  });
});
