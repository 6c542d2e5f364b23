import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestLog } from '../../test/harness/app.ts';
import { createTestStore, onEachEngine } from '../../test/harness/databases.ts';
import { runTogether } from '../../test/harness/run-together.ts';
import { openDatabase } from '../platform/index.ts';
import { createBelievedClock, type Look, lookAgain } from './believed-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-15T12:00:00Z');
const LAST: Look = { seenAt: NOW, believedFrom: NOW };

describe('the clock that pruning looks at', () => {
  /** How long after this look the clock is believed. */
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

onEachEngine('two processes that notice a jump of the clock at the same moment', (engine) => {
  test('wait until the same time, and say so once', async () => {
    const store = await createTestStore(engine);
    const database = openDatabase(store.settings, () => undefined);
    const { log, lines } = createTestLog();
    const lookAt = (now: number) => createBelievedClock({ database, clock: { now: () => now }, log })();
    const later = NOW + 365 * DAY_MS;
    try {
      assert.equal(await lookAt(NOW), true);
      const believed = await runTogether(database, 'clock_looks', [() => lookAt(later), () => lookAt(later + 60_000)]);
      assert.deepEqual(believed, [false, false]);
      const look = await database.get('select seen_at, believed_from from clock_looks');
      assert.deepEqual({ ...look }, { seen_at: later + 60_000, believed_from: later + DAY_MS });
      assert.equal(lines.length, 1);
    } finally {
      await database.close();
      await store.remove();
    }
  });
});
