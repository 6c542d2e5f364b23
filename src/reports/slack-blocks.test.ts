import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatCount, type ReportView } from './compare.ts';
import type { Figures } from './figures.ts';
import { renderSlack, type SlackBlock } from './slack-blocks.ts';
import { spanOf } from './week.ts';

const links = { report: 'https://pb.test/reports/2026-W46?a=1&b=<|>' };
const LINK = '<https://pb.test/reports/2026-W46?a=1&amp;b=&lt;%7C&gt;|Open the report>';
const given: string[] = [];
/** A figure that no other figure looks like. */
const figure = (): number => {
  const value = 1_001 + given.length;
  given.push(formatCount(value));
  return value;
};
const compared = () => ({ value: figure(), before: figure() });
const waiting = { callId: 'c1', from: '+4930123456', at: '2026-11-09T13:05:00.000Z', outcome: 'missed' };
const tracker = { provider: 'tracker', name: 'The Tracker', status: 'needs_reconnect' };

const full: Figures = {
  calls: { inbound: compared(), outbound: compared() },
  outcomes: {
    ...{ answered: compared(), missed: compared(), abandoned: compared() },
    ...{ voicemail: compared(), other: compared() },
  },
  missedPercent: 19.4,
  secondsToAnswer: { median: 17, p90: 137 },
  talkSeconds: { value: 7_500, before: 3_660 },
  heat: Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => (day + hour === 8 ? null : figure())),
  ),
  missedByHours: { inside: figure(), outside: figure() },
  unreturned: { total: figure(), oldest: [waiting, { ...waiting, from: null, outcome: 'busy' }] },
  callers: { firstTime: figure(), repeat: figure(), total: figure() },
  numbers: [
    { number: '+4940111', label: 'Sales', calls: figure(), answered: figure(), missed: figure() },
    { number: null, label: null, calls: figure(), answered: figure(), missed: figure() },
  ],
  recordings: { made: figure(), archived: figure(), failed: figure() },
  integrations: [
    { ...tracker, reconnectBefore: '2026-11-20T11:00:00.000Z' },
    { ...tracker, status: 'constructor', reconnectBefore: null },
  ],
  deliveriesRefused: figure(),
  quality: { withoutEnd: figure() },
};
const WORDS = [
  ...['19.4 %', '17 s', '2 min 17 s', '2 h 5 min', '(1 h 1 min)', '+4930123456', 'Number withheld', 'missed', 'busy'],
  ...['Mon 9 Nov, 14:05', 'Sales, +4940111', 'Number not known', 'The Tracker', 'tracker', 'must be connected again'],
  ...['before Fri 20 Nov, 12:00', 'constructor', '–', 'Revision 3', 'Europe/Berlin', '9–15 November 2026', 'Acme'],
];

const none = { value: 0, before: null };
const empty: Figures = {
  ...{ calls: { inbound: none, outbound: none }, missedPercent: null, secondsToAnswer: null, talkSeconds: none },
  outcomes: { answered: none, missed: none, abandoned: none, voicemail: none, other: none },
  heat: full.heat.map((hours) => hours.map(() => 0)),
  ...{ missedByHours: null, unreturned: { total: 0, oldest: [] }, callers: { firstTime: 0, repeat: 0, total: 0 } },
  ...{ numbers: [], recordings: { made: 0, archived: 0, failed: 0 }, integrations: [] },
  ...{ deliveriesRefused: 0, quality: { withoutEnd: 0 } },
};

/** With something that somebody has typed wherever that can be. */
const typed = (text: string): Figures => ({
  ...full,
  unreturned: { total: 1, oldest: [{ ...waiting, from: text, outcome: text }] },
  numbers: [{ number: text, label: text, calls: 1, answered: 1, missed: 0 }],
  integrations: [{ provider: text, name: text, status: text, reconnectBefore: null }],
});

const viewOf = (figures: Figures, team = 'Acme'): ReportView => {
  const timeZone = 'Europe/Berlin';
  return { week: '2026-W46', team, timeZone, ...spanOf('2026-W46', timeZone), revision: 3, figures };
};

const textsOf = (block: SlackBlock): string[] => {
  if (block.type === 'context') return block.elements.map(({ text }) => text);
  if (block.type === 'header') return [block.text.text];
  return [block.text, ...(block.fields ?? [])].flatMap((part) => (part ? [part.text] : []));
};

const assertFits = ({ text, blocks }: ReturnType<typeof renderSlack>): void => {
  assert.ok(blocks.length <= 50, `${blocks.length} blocks`);
  assert.ok(text.length <= 3_000);
  for (const block of blocks) {
    const most = block.type === 'header' ? 150 : 3_000;
    for (const part of textsOf(block)) assert.ok(part.length > 0 && part.length <= most, part);
    if (block.type !== 'section') continue;
    assert.ok(block.text || block.fields);
    assert.ok((block.fields ?? []).length <= 10);
    for (const field of block.fields ?? []) assert.ok(field.text.length <= 2_000);
  }
};

describe('the report in Slack', () => {
  const message = renderSlack(viewOf(full), links);
  const all = message.blocks.flatMap(textsOf).join('\n');

  test('says every figure', () => {
    for (const words of [...given, ...WORDS]) assert.ok(all.includes(words), `"${words}" is missing in ${all}`);
  });

  test('fits, and has a header, sections and a context', () => {
    assertFits(message);
    assert.deepEqual([...new Set(message.blocks.map(({ type }) => type))], ['header', 'section', 'context']);
  });

  test('notifies with the figures to know first', () => {
    const start = 'Week 46, 9–15 November 2026 · Acme · calls in: 1,001 · taken by nobody: 19.4 % · still waiting: ';
    assert.equal(message.text, start + formatCount(full.unreturned.total));
  });

  test('leads to the report, whatever is in the address', () => {
    assert.ok(all.includes(LINK));
  });
});

test('nothing that people have typed becomes a mention or a link, and Slack is told to make none of it', () => {
  const evil = '<!channel> & <https://evil.example|Sign in>\n@here';
  const { text, blocks } = renderSlack(viewOf(typed(evil), evil), links);
  const all = [text, ...blocks.flatMap(textsOf)].join('\n');
  assert.deepEqual(all.match(/<[^>]*>/g), [LINK]);
  assert.ok(all.split('&lt;!channel&gt; &amp; &lt;https').length > 8);
  assert.doesNotMatch(all, /^@here/m);
  const json = JSON.stringify(blocks);
  assert.equal(json.match(/"mrkdwn"/g)?.length, json.match(/"verbatim":true/g)?.length);
});

test('an empty week is said to be empty', () => {
  const message = renderSlack(viewOf(empty, ''), links);
  assertFits(message);
  assert.match(JSON.stringify(message), /No calls in this week/);
  assert.doesNotMatch(JSON.stringify(message), /NaN|undefined|null|Infinity|opening hours/);
});

test('the most that can be said still fits', () => {
  const long = '<&>'.repeat(3_000);
  const { unreturned, numbers, integrations } = typed(long);
  const fill = <T>(list: T[]): T[] => Array.from({ length: 100 }, () => list).flat();
  const figures: Figures = {
    ...full,
    heat: full.heat.map((hours) => hours.map(() => 100_000_000)),
    ...{ unreturned: { total: 9_000, oldest: fill(unreturned.oldest) }, numbers: fill(numbers) },
    integrations: fill(integrations),
  };
  assertFits(renderSlack(viewOf(figures, long), links));
});
