import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProviderFailure } from './provider-failure.ts';
import { countRefusal, describeLasting, isBelieved, isLasting, type RepeatedRefusal } from './repeated-refusal.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const HOUR_MS = 3_600_000;
const failureOf = (kind: ProviderFailure['kind'], code: string | null = null, httpStatus = 400): ProviderFailure => ({
  kind,
  code,
  httpStatus,
  surelyNotDone: true,
  retryAfterMs: null,
});

/** One failure an hour. */
const countAll = (failures: readonly ProviderFailure[]): RepeatedRefusal | null =>
  failures.reduce<RepeatedRefusal | null>(
    (known, failure, hour) => countRefusal(known, failure, false, NOW + hour * HOUR_MS),
    null,
  );

describe('a refusal that repeats itself', () => {
  test('is counted from its first time on', () => {
    const refused = failureOf('refused', 'invalid_request');
    assert.deepEqual(countAll([refused, refused, refused]), {
      how: 'refused 400 invalid_request',
      since: NOW,
      times: 3,
    });
  });

  test('begins anew when it changes', () => {
    const known = countAll([failureOf('refused', 'invalid_request'), failureOf('refused', 'invalid_scope')]);
    assert.deepEqual(known, { how: 'refused 400 invalid_scope', since: NOW + HOUR_MS, times: 1 });
    assert.equal(countAll([failureOf('refused'), failureOf('invalid_client')])?.times, 1);
    assert.equal(countAll([failureOf('refused', null, 403), failureOf('refused', null, 404)])?.times, 1);
  });

  test('of a client begins anew when the client is seen working, and when it no longer is', () => {
    const refused = failureOf('invalid_client', 'invalid_client', 401);
    const first = countRefusal(null, refused, false, NOW);
    const working = countRefusal(first, refused, true, NOW + HOUR_MS);
    assert.deepEqual([working?.since, working?.times], [NOW + HOUR_MS, 1]);
    assert.equal(countRefusal(working, refused, true, NOW + 2 * HOUR_MS)?.times, 2);
    assert.equal(countRefusal(working, refused, false, NOW + 2 * HOUR_MS)?.times, 1);
  });

  test('is not ended by an outage, nor begun by one', () => {
    for (const kind of ['unavailable', 'unclear', 'rate_limited', 'not_asked', 'client_missing'] as const) {
      assert.equal(countAll([failureOf(kind), failureOf(kind)]), null);
      assert.deepEqual(countAll([failureOf('refused'), failureOf(kind), failureOf('refused')]), {
        how: 'refused 400',
        since: NOW,
        times: 2,
      });
    }
  });

  test('lasts after three days, and not by two answers that lie far apart', () => {
    const known = { how: 'refused', since: NOW, times: 10 };
    assert.equal(isLasting(known, NOW + 72 * HOUR_MS), true);
    assert.equal(isLasting(known, NOW + 72 * HOUR_MS - 1), false);
    assert.equal(isLasting({ ...known, times: 9 }, NOW + 100 * HOUR_MS), false);
  });

  test('asks for a reconnect where the team can do something about it', () => {
    const refused = failureOf('invalid_client', 'invalid_client', 401);
    assert.equal(isBelieved(refused, 'operator', false), false);
    assert.equal(isBelieved(refused, 'operator', true), true);
    assert.equal(isBelieved(refused, 'team', false), true);
    assert.equal(isBelieved(failureOf('client_replaced'), 'operator', false), true);
    assert.equal(isBelieved(failureOf('client_missing'), 'team', false), false);
  });

  test('is told in plain words, with the status, and the code where there is one', () => {
    assert.match(
      describeLasting(failureOf('refused', 'invalid_request'), 'operator'),
      /3 days.*400.*"invalid_request"/,
    );
    assert.match(describeLasting(failureOf('refused', null, 403), 'operator'), /\(HTTP status 403\)/);
  });
});
