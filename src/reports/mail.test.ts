import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatCount, type ReportView } from './compare.ts';
import type { Figures } from './figures.ts';
import { renderMail } from './mail.ts';
import { spanOf } from './week.ts';

const links = { report: 'https://pb.test/reports/2026-W46?a=1&b=2', unsubscribe: 'https://pb.test/stop?t="x"' };
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

/** What is left for a reader of the markup. */
const readable = (markup: string): string =>
  markup
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the mail of a report', () => {
  const mail = renderMail(viewOf(full), links);

  for (const [form, text] of [
    ['markup', readable(mail.html)],
    ['plain text', mail.text],
  ] as const)
    test(`says every figure, as ${form}`, () => {
      for (const words of [...given, ...WORDS]) assert.ok(text.includes(words), `"${words}" is missing in ${text}`);
    });

  test('is titled, in a language, for light and dark, and every table is of data or says that it is not', () => {
    assert.equal(mail.subject, 'Week 46, 9–15 November 2026 · Acme');
    assert.match(mail.html, /<html lang="en">/);
    assert.match(mail.html, /prefers-color-scheme:dark/);
    for (const [table] of mail.html.matchAll(/<table[^>]*>/g)) assert.match(table, /aria-label=|role="presentation"/);
    assert.doesNotMatch(mail.html, /<script|<img|<link/);
  });

  test('leads to the report, to its end, and to the caller', () => {
    assert.ok(mail.html.includes('href="https://pb.test/reports/2026-W46?a=1&amp;b=2"'));
    assert.ok(mail.html.includes('href="https://pb.test/stop?t=&quot;x&quot;"'));
    assert.deepEqual(mail.html.match(/tel:[^"]*/g), ['tel:+4930123456']);
    assert.ok(mail.text.includes(links.report) && mail.text.includes(links.unsubscribe));
  });

  test('has bars as long as their figures', () => {
    const widths = [...mail.html.matchAll(/bgcolor="#2f8f7b" style="width:(\d+)%/g)].map(([, width]) => Number(width));
    assert.ok(widths.includes(100) && widths.some((width) => width < 100));
    assert.ok(widths.every((width) => width > 0 && width <= 100));
  });

  test('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, end, name = ''] of mail.html.matchAll(/<(\/?)([a-z][a-z0-9]*)/g)) {
      if (end) assert.equal(open.pop(), name);
      else if (!['meta', 'br'].includes(name)) open.push(name);
    }
    assert.deepEqual(open, []);
  });
});

test('nothing that people have typed becomes markup, a header or a line of its own', () => {
  const evil = '"><img src=x onerror=alert(1)>\r\nBcc: all@example.com';
  const { subject, html, text } = renderMail(viewOf(typed(evil), evil), links);
  assert.doesNotMatch(html, /<img/);
  assert.ok(html.split('&quot;&gt;&lt;img src=x onerror=alert(1)&gt; Bcc').length > 8);
  assert.doesNotMatch(subject, /[\r\n]/);
  assert.doesNotMatch(text, /^Bcc|\r/m);
});

test('an empty week is said to be empty', () => {
  const { html, text } = renderMail(viewOf(empty), links);
  for (const form of [readable(html), text]) {
    for (const words of ['No calls in this week.', 'no call has ended', 'nobody was reached', 'Callers still waiting'])
      assert.ok(form.includes(words), words);
    assert.doesNotMatch(form, /NaN|undefined|null|Infinity|opening hours|Your numbers|Integrations/);
  }
});

test('a long list ends with how many more there are, and a long name is cut', () => {
  const numbers = Array.from({ length: 5_000 }, () => ({
    number: null,
    label: 'x'.repeat(9_000),
    calls: 1,
    answered: 1,
    missed: 0,
  }));
  const { html, text } = renderMail(viewOf({ ...full, numbers }), links);
  assert.ok(text.includes('4,975 more') && html.includes('4,975 more'));
  assert.ok(html.length < 100_000, `${html.length}: some mail programs cut off what is longer than 102 kB`);
});
