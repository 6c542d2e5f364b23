import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { empty, full, given, typed, viewOf, WORDS } from '../../../test/harness/report-figures.ts';
import type { SlackBlock } from '../../notices/index.ts';
import type { NamedFigures } from '../figures/figures.ts';
import { formatCount } from './describe-change.ts';
import { renderSlack } from './render-slack.ts';

const links = { report: 'https://pb.test/reports/2026-W46?a=1&b=<|>' };
const LINK = '<https://pb.test/reports/2026-W46?a=1&amp;b=&lt;%7C&gt;|Open the report>';
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

  test('contains every figure', () => {
    for (const words of [...given, ...WORDS]) assert.ok(all.includes(words), `"${words}" is missing in ${all}`);
  });

  test('fits, and has a header, sections and a context', () => {
    assertFits(message);
    assert.deepEqual([...new Set(message.blocks.map(({ type }) => type))], ['header', 'section', 'context']);
  });

  test('notifies with the most important figures', () => {
    const unanswered = full.numbers.reduce((total, { missed }) => total + missed, 0);
    const counted = `1,001 inbound calls from ${formatCount(full.callers.total)} people · ${formatCount(unanswered)} unanswered`;
    const end = `${formatCount(full.unreturned.total)} to return`;
    assert.equal(message.text, `Week 46, November 9–15, 2026 · Acme · ${counted} · ${end}`);
  });

  test('links to the report, whatever is in the address', () => {
    assert.ok(all.includes(LINK));
  });
});

test('turns nothing people typed into a mention or a link, and tells Slack not to either', () => {
  const evil = '<!channel> & <!here|Sign in>\n!here';
  const { text, blocks } = renderSlack(viewOf(typed(evil), evil), links);
  const all = [text, ...blocks.flatMap(textsOf)].join('\n');
  assert.deepEqual(all.match(/<[^>]*>/g), [LINK]);
  assert.ok(all.split('&lt;!channel&gt; &amp; &lt;!here|').length > 8);
  assert.doesNotMatch(all, /^!here/m);
  const json = JSON.stringify(blocks);
  assert.equal(json.match(/"mrkdwn"/g)?.length, json.match(/"verbatim":true/g)?.length);
});

test('says that an empty week is empty', () => {
  const message = renderSlack(viewOf(empty, ''), links);
  assertFits(message);
  assert.match(JSON.stringify(message), /No calls this week/);
  assert.doesNotMatch(JSON.stringify(message), /NaN|undefined|null|Infinity|business hours/);
});

test('still fits at its longest', () => {
  const long = '<&>'.repeat(3_000);
  const { unreturned, numbers, integrations } = typed(long);
  const fill = <T>(list: T[]): T[] => Array.from({ length: 100 }, () => list).flat();
  const figures: NamedFigures = {
    ...full,
    heat: full.heat.map((hours) => hours.map(() => 100_000_000)),
    ...{ unreturned: { total: 9_000, oldest: fill(unreturned.oldest) }, numbers: fill(numbers) },
    integrations: fill(integrations),
  };
  assertFits(renderSlack(viewOf(figures, long), links));
});
