import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toOneLine } from '../../mail/index.ts';
import { spanOf } from '../week/week.ts';
import { titleOf } from './report-title.ts';

const titled = (week: string, zone: string, team?: string): string => titleOf(week, spanOf(week, zone), zone, team);

describe('a report’s title', () => {
  for (const [week, zone, title] of [
    ['2026-W46', 'Europe/Berlin', 'Week 46, November 9–15, 2026'],
    ['2026-W46', 'Pacific/Kiritimati', 'Week 46, November 9–15, 2026'],
    ['2026-W46', 'America/Los_Angeles', 'Week 46, November 9–15, 2026'],
    ['2026-W40', 'UTC', 'Week 40, September 28 – October 4, 2026'],
    ['2026-W01', 'UTC', 'Week 1, December 29, 2025 – January 4, 2026'],
    ['2026-W53', 'UTC', 'Week 53, December 28, 2026 – January 3, 2027'],
    ['2026-W13', 'Europe/Berlin', 'Week 13, March 23–29, 2026'],
    ['2026-W43', 'Europe/Berlin', 'Week 43, October 19–25, 2026'],
  ] as const)
    test(`for ${week} in ${zone} is "${title}"`, () => assert.equal(titled(week, zone), title));

  test('names the team, if there is one to name', () => {
    assert.equal(titled('2026-W46', 'UTC', 'Acme & Sons'), 'Week 46, November 9–15, 2026 · Acme & Sons');
    assert.equal(titled('2026-W46', 'UTC', ' \n '), 'Week 46, November 9–15, 2026');
  });

  test('stays on one line, whatever the team’s name', () => {
    const title = titled('2026-W46', 'UTC', 'Acme\r\nBcc: all@example.com\u2028\u202eevil');
    assert.equal(title, 'Week 46, November 9–15, 2026 · Acme Bcc: all@example.com evil');
  });
});

test('keeps letters of every script and emoji, and half a character does no harm', () => {
  assert.equal(toOneLine('Größe 電話 👩‍👩‍👧'), 'Größe 電話 👩‍👩‍👧');
  assert.equal(toOneLine('a\ud800b\u0000c'), 'a\ufffdb c');
});
