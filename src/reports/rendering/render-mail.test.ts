import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { empty, full, given, typed, viewOf, WORDS } from '../../../test/harness/report-figures.ts';
import { renderMail } from './render-mail.ts';

const links = { report: 'https://pb.test/reports/2026-W46?a=1&b=2', unsubscribe: 'https://pb.test/stop?t="x"' };
/** The text without the markup. */
const readable = (markup: string): string =>
  markup
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('a report’s email', () => {
  const mail = renderMail(viewOf(full), links);

  for (const [form, text] of [
    ['markup', readable(mail.html)],
    ['plain text', mail.text],
  ] as const)
    test(`contains every figure, as ${form}`, () => {
      for (const words of [...given, ...WORDS]) assert.ok(text.includes(words), `"${words}" is missing in ${text}`);
    });

  test('has a title, a language, and light and dark styles, and every table holds data or says that it does not', () => {
    assert.equal(mail.subject, 'Week 46, November 9–15, 2026 · Acme');
    assert.match(mail.html, /<html lang="en">/);
    assert.match(mail.html, /prefers-color-scheme:dark/);
    for (const [table] of mail.html.matchAll(/<table[^>]*>/g)) assert.match(table, /aria-label=|role="presentation"/);
    assert.doesNotMatch(mail.html, /<script|<img|<link/);
  });

  test('links to the report, to unsubscribing, and to the caller', () => {
    assert.ok(mail.html.includes('href="https://pb.test/reports/2026-W46?a=1&amp;b=2"'));
    assert.ok(mail.html.includes('href="https://pb.test/stop?t=&quot;x&quot;"'));
    assert.deepEqual(mail.html.match(/tel:[^"]*/g), ['tel:+4930123456']);
    assert.ok(mail.text.includes(links.report) && mail.text.includes(links.unsubscribe));
  });

  test('has bars as long as their figures', () => {
    const widths = [...mail.html.matchAll(/width="(\d+)%" height="12" bgcolor=/g)].map(([, width]) => Number(width));
    assert.ok(widths.includes(100) && widths.some((width) => width < 100));
    assert.ok(widths.every((width) => width > 0 && width <= 100));
  });

  test('rounds a bar’s length, and shows what is nearly nothing', () => {
    const lineWith = (calls: number) => ({
      hash: null,
      number: '+4940111',
      label: null,
      calls,
      answered: 0,
      missed: 0,
    });
    const numbers = [1_000, 666, 334, 4, 0].map(lineWith);
    const { html } = renderMail(viewOf({ ...empty, numbers }), links);
    const widths = [...html.matchAll(/width="(\d+)%" height="12" bgcolor=/g)].map(([, width]) => Number(width));
    assert.deepEqual(widths, [100, 67, 33, 2]);
  });

  test('has a shade for each quarter of the busiest hour, starting with the first call', () => {
    const hours = [1, 25, 26, 50, 51, 75, 76, 100];
    const heat = empty.heat.map((row, day) => (day === 0 ? row.map((_, hour) => hours[hour] ?? 0) : row));
    const { html } = renderMail(viewOf({ ...empty, heat }), links);
    const shades = [...html.matchAll(/background-color:(#\w{6});color:#10211d[^>]*>(\d+)/g)].map(([, shade, count]) => [
      Number(count),
      shade,
    ]);
    assert.deepEqual(shades, [
      [1, '#d5ebe5'],
      [25, '#d5ebe5'],
      [26, '#b4dccf'],
      [50, '#b4dccf'],
      [51, '#8fcab9'],
      [75, '#8fcab9'],
      [76, '#6bb7a3'],
      [100, '#6bb7a3'],
    ]);
  });
});

test('turns nothing people typed into markup, a header or a line of its own', () => {
  const evil = '"><img src=x onerror=alert(1)>\r\nBcc: all';
  const { subject, html, text } = renderMail(viewOf(typed(evil), evil), links);
  assert.doesNotMatch(html, /<img/);
  assert.ok(html.split('&quot;&gt;&lt;img src=x onerror=alert(1)&gt; Bcc').length > 8);
  assert.doesNotMatch(subject, /[\r\n]/);
  assert.doesNotMatch(text, /^Bcc|\r/m);
});

test('says that an empty week is empty', () => {
  const { html, text } = renderMail(viewOf(empty), links);
  for (const form of [readable(html), text]) {
    for (const words of ['No calls this week.', 'no finished calls', 'no answered calls', 'Calls still waiting'])
      assert.ok(form.includes(words), words);
    assert.doesNotMatch(form, /NaN|undefined|null|Infinity|business hours|Your numbers|Integrations/);
    assert.doesNotMatch(form, /Hours with no calls/, 'A table that is not there needs no legend.');
  }
});

test('shows five rows of a long list and how many more there are, and cuts a long name', () => {
  const numbers = Array.from({ length: 5_000 }, () => ({
    number: null,
    label: 'x'.repeat(9_000),
    calls: 1,
    answered: 1,
    missed: 0,
    hash: null,
  }));
  const { html, text } = renderMail(viewOf({ ...full, numbers }), links);
  for (const form of [text, html]) {
    assert.ok(form.includes('See 4,995 more in the report'));
    assert.ok(form.includes(`${'x'.repeat(119)}…`) && !form.includes('x'.repeat(120)));
  }
  assert.equal(text.match(/^ {2}x+…: 1, 1 answered, 0 unanswered$/gm)?.length, 5);
});

test('counts the calls of callers who are not shown, and puts sentences on lines of their own', () => {
  const [first] = full.unreturned.oldest;
  const oldest = Array.from({ length: 16 }, (_, call) => ({
    ...(first ?? assert.fail()),
    ...{ callId: `${call}`, from: `+49301230${Math.floor(call / 2)}` },
  }));
  const { text } = renderMail(viewOf({ ...full, unreturned: { total: 30, oldest } }), links);
  assert.match(
    text,
    /Calls still waiting: 30\n( {2}030 1230\d: .*called 2 times\n){5} {2}See 20 more calls in the report: https/,
  );
  const whole = renderMail(viewOf({ ...full, unreturned: { total: 16, oldest } }), links);
  for (const form of [whole.text, whole.html]) assert.match(form, /See 3 more callers in the report/);
  assert.match(text, /The Tracker: needs to be reconnected\n {4}The Tracker refused it\. Failing since/);
  assert.doesNotMatch(text, /\.,/);
});
