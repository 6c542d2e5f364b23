import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Look, lookAgain } from './believed-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-15T12:00:00Z');
const LAST: Look = { seenAt: NOW, believedFrom: NOW };

describe('the clock that pruning looks at', () => {
  /** How long after this look it is believed. */
  const waitAfter = (last: Look | undefined, at: number): number => lookAgain(last, at).believedFrom - at;

  test('is believed at the first look, and as long as it goes on', () => {
    assert.equal(waitAfter(undefined, NOW), 0);
    for (const later of [0, 5 * 60_000, HOUR_MS]) assert.ok(waitAfter(LAST, NOW + later) <= 0);
  });

  test('is not believed for a tenth of a jump, and never for more than a day', () => {
    assert.equal(waitAfter(LAST, NOW + 10 * HOUR_MS), HOUR_MS);
    assert.equal(waitAfter(LAST, NOW + 3 * DAY_MS), 0.3 * DAY_MS);
    assert.equal(waitAfter(LAST, NOW + 365 * DAY_MS), DAY_MS);
  });

  test('is believed once that time has passed, however often it is looked at meanwhile', () => {
    let look = lookAgain(LAST, NOW + 10 * HOUR_MS);
    const { believedFrom } = look;
    for (let at = look.seenAt; at <= believedFrom; at += 5 * 60_000) look = lookAgain(look, at);
    assert.equal(look.believedFrom, believedFrom);
    assert.ok(look.seenAt >= believedFrom);
  });

  test('is believed at once when it is set back, and not when it jumps ahead again', () => {
    const ahead = lookAgain(LAST, NOW + 365 * DAY_MS);
    const back = lookAgain(ahead, NOW + 5_000);
    assert.deepEqual(back, { seenAt: NOW + 5_000, believedFrom: NOW + 5_000 });
    assert.equal(waitAfter(back, NOW + 365 * DAY_MS), DAY_MS);
  });

  test('stays in doubt if another process is a moment behind', () => {
    const ahead = lookAgain(LAST, NOW + 365 * DAY_MS);
    assert.equal(lookAgain(ahead, ahead.seenAt - 50).believedFrom, ahead.believedFrom);
  });
});
