import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClientStanding } from './client-standing.ts';
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
    (known, failure, hour) => countRefusal(known, failure, null, NOW + hour * HOUR_MS),
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
    const first = countRefusal(null, refused, 'unproven', NOW);
    const working = countRefusal(first, refused, 'works', NOW + HOUR_MS);
    assert.deepEqual([working?.since, working?.times], [NOW + HOUR_MS, 1]);
    assert.equal(countRefusal(working, refused, 'works', NOW + 2 * HOUR_MS)?.times, 2);
    for (const other of ['unproven', 'works_elsewhere', 'alone'] as const)
      assert.equal(countRefusal(working, refused, other, NOW + 2 * HOUR_MS)?.times, 1);
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

  test('asks for a reconnect where that may help', () => {
    const refused = failureOf('invalid_client', 'invalid_client', 401);
    assert.equal(isBelieved(refused, 'unproven'), false);
    for (const client of ['works', 'works_elsewhere', 'alone'] as const)
      assert.equal(isBelieved(refused, client), true);
    assert.equal(isBelieved(failureOf('client_replaced'), null), true);
    assert.equal(isBelieved(failureOf('client_missing'), null), false);
  });

  test('is told in plain words, with its days, the status, and the code where there is one', () => {
    const lasting = { since: NOW, now: NOW + 75 * HOUR_MS, client: null };
    assert.match(
      describeLasting(failureOf('refused', 'invalid_request'), lasting, 'operator'),
      /3 days.*400.*"invalid_request"/,
    );
    assert.match(describeLasting(failureOf('refused', null, 403), lasting, 'operator'), /\(HTTP status 403\)/);
    const later = { ...lasting, now: NOW + 20 * 24 * HOUR_MS };
    assert.match(describeLasting(failureOf('refused'), later, 'operator'), /^For 20 days/);
  });

  test('as to its client says no more than is known', () => {
    const tell = (client: ClientStanding, clientOf: 'operator' | 'team') =>
      describeLasting(failureOf('invalid_client'), { since: NOW, now: NOW + 75 * HOUR_MS, client }, clientOf);
    assert.match(tell('works', 'operator'), /work for other connections/);
    assert.match(tell('alone', 'team'), /your team's own client/);
    for (const client of ['alone', 'works_elsewhere'] as const)
      assert.match(tell(client, 'operator'), /either they are wrong, .* operator .* or access has ended/);
  });
});
