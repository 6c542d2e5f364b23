import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import {
  bearsRepetition,
  hasExpired,
  type Lifetimes,
  missingScopes,
  nextTryAt,
  type RefreshRules,
  reconnectBefore,
  refreshDueAt,
} from './connection.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const always: RefreshRules = { rotates: 'always' };
const never: RefreshRules = { rotates: 'never' };
const lifetimes = (told: Partial<Lifetimes> = {}): Lifetimes => ({
  expiresAt: null,
  refreshExpiresAt: null,
  connectedAt: NOW,
  obtainedAt: NOW,
  ...told,
});

const rulesOf = fc.record(
  {
    rotates: fc.constantFrom('never', 'always', 'unknown'),
    graceSeconds: fc.integer({ min: 1, max: 100_000 }),
    idleDays: fc.integer({ min: 1, max: 700 }),
    absoluteDays: fc.integer({ min: 1, max: 2_000 }),
  },
  { requiredKeys: ['rotates'] },
) as fc.Arbitrary<RefreshRules>;
const duration = fc.integer({ min: 1, max: 100 * 365 * DAY_MS });

describe('when a connection is refreshed', () => {
  test('five minutes before it expires, and closer to the end for a short-lived token', () => {
    const dueFor = (lifeMs: number) => refreshDueAt(lifetimes({ expiresAt: NOW + lifeMs }), always);
    assert.equal(dueFor(HOUR_MS), NOW + 55 * MINUTE_MS);
    assert.equal(dueFor(60 * DAY_MS), NOW + 60 * DAY_MS - 5 * MINUTE_MS);
    assert.equal(dueFor(10 * MINUTE_MS), NOW + 8 * MINUTE_MS);
  });

  test('never, if there is no refresh or nothing expires', () => {
    assert.equal(refreshDueAt(lifetimes({ expiresAt: NOW + HOUR_MS, refreshExpiresAt: NOW + DAY_MS }), null), null);
    assert.equal(refreshDueAt(lifetimes(), always), null);
  });

  test('well before an idle grant lapses', () => {
    const idle = refreshDueAt(lifetimes(), { rotates: 'always', idleDays: 60 });
    assert.ok(idle !== null && idle >= NOW + 30 * DAY_MS && idle <= NOW + 50 * DAY_MS, String(idle));
    const told = refreshDueAt(lifetimes({ refreshExpiresAt: NOW + 10 * DAY_MS }), { rotates: 'always', idleDays: 60 });
    assert.ok(told !== null && told > NOW + 5 * DAY_MS && told < NOW + 9 * DAY_MS, String(told));
    const long = refreshDueAt(lifetimes({ expiresAt: NOW + 90 * DAY_MS }), { rotates: 'always', idleDays: 7 });
    assert.ok(long !== null && long < NOW + 6 * DAY_MS, String(long));
  });

  test('not while the token is younger than the provider requires', () => {
    const rules: RefreshRules = { rotates: 'never', idleDays: 60, leastAgeSeconds: 86_400 };
    assert.equal(refreshDueAt(lifetimes({ expiresAt: NOW + HOUR_MS }), rules), NOW + DAY_MS);
    const usual = refreshDueAt(lifetimes({ expiresAt: NOW + 60 * DAY_MS }), rules);
    assert.ok(usual !== null && usual > NOW + DAY_MS && usual < NOW + 60 * DAY_MS);
  });

  test('immediately, if the token was already expired', () => {
    assert.equal(refreshDueAt(lifetimes({ expiresAt: NOW - HOUR_MS }), always), NOW);
  });

  test('never after the access token or the grant ends, and not before most of its time is used', () => {
    fc.assert(
      fc.property(fc.option(duration), fc.option(duration), rulesOf, (life, refreshLife, rules) => {
        const expiresAt = life === null ? null : NOW + life;
        const refreshExpiresAt = refreshLife === null ? null : NOW + refreshLife;
        const due = refreshDueAt(lifetimes({ expiresAt, refreshExpiresAt }), rules);
        if (expiresAt !== null) assert.ok(due !== null && due <= expiresAt);
        if (rules.idleDays !== undefined) assert.ok(due !== null && due <= NOW + rules.idleDays * DAY_MS);
        if (due === null) return;
        assert.ok(Number.isSafeInteger(due));
        const ends = [life, refreshLife, rules.idleDays === undefined ? null : rules.idleDays * DAY_MS];
        const shortest = Math.min(...ends.filter((end) => end !== null));
        assert.ok(due - NOW >= Math.floor(shortest * 0.6), `${due - NOW} of ${shortest}`);
      }),
      { numRuns: 500 },
    );
  });

  test('only a minimum age can delay it past the end', () => {
    fc.assert(
      fc.property(duration, fc.integer({ min: 1, max: 10_000_000 }), rulesOf, (life, leastAgeSeconds, rules) => {
        const due = refreshDueAt(lifetimes({ expiresAt: NOW + life }), { ...rules, leastAgeSeconds });
        const oldEnough = NOW + leastAgeSeconds * 1_000;
        assert.ok(due !== null && due >= oldEnough && due <= Math.max(NOW + life, oldEnough));
      }),
    );
  });

  test("no more often than the access token needs, if a refresh doesn't extend the grant", () => {
    const refreshExpiresAt = NOW + 365 * DAY_MS;
    let obtainedAt = NOW;
    let refreshes = 0;
    while (obtainedAt < refreshExpiresAt && refreshes < 50) {
      const due = refreshDueAt(lifetimes({ obtainedAt, refreshExpiresAt, expiresAt: obtainedAt + 60 * DAY_MS }), never);
      assert.ok(due !== null);
      obtainedAt = due;
      refreshes++;
    }
    assert.equal(refreshes, 7);
  });
});

describe('when a person has to connect again', () => {
  test('when the token expires, if there is no refresh', () => {
    assert.equal(reconnectBefore(lifetimes({ expiresAt: NOW + DAY_MS }), null), NOW + DAY_MS);
    assert.equal(reconnectBefore(lifetimes(), null), null);
  });

  test('at the absolute limit, counted from the consent and not from the last refresh', () => {
    const later = lifetimes({ connectedAt: NOW - 100 * DAY_MS, expiresAt: NOW + HOUR_MS });
    assert.equal(reconnectBefore(later, { rotates: 'always', absoluteDays: 365 }), NOW + 265 * DAY_MS);
  });

  test('not at the absolute limit if a granted scope lifts it', () => {
    const rules: RefreshRules = { rotates: 'always', absoluteDays: 30, absoluteUnlessScope: 'extended' };
    assert.equal(reconnectBefore(lifetimes(), rules, ['signature']), NOW + 30 * DAY_MS);
    assert.equal(reconnectBefore(lifetimes(), rules), NOW + 30 * DAY_MS);
    assert.equal(reconnectBefore(lifetimes(), rules, ['signature', 'extended']), null);
  });

  test('when the refresh token expires, if it is never replaced', () => {
    const told = lifetimes({ refreshExpiresAt: NOW + 30 * DAY_MS });
    assert.equal(reconnectBefore(told, never), NOW + 30 * DAY_MS);
    assert.equal(reconnectBefore(told, { rotates: 'never', absoluteDays: 10 }), NOW + 10 * DAY_MS);
    assert.equal(reconnectBefore(told, { rotates: 'never', absoluteDays: 90 }), NOW + 30 * DAY_MS);
  });

  test('never, if tokens were issued after that day', () => {
    const late = { obtainedAt: NOW + 11 * DAY_MS, refreshExpiresAt: NOW + 10 * DAY_MS };
    assert.equal(reconnectBefore(lifetimes(late), { rotates: 'always', absoluteDays: 10 }), null);
    assert.equal(reconnectBefore(lifetimes(late), never), null);
    assert.equal(
      reconnectBefore(lifetimes({ obtainedAt: NOW + 9 * DAY_MS }), { rotates: 'always', absoluteDays: 10 }),
      NOW + 10 * DAY_MS,
    );
  });

  test('never, if using the grant keeps it alive', () => {
    assert.equal(
      reconnectBefore(lifetimes({ refreshExpiresAt: NOW + DAY_MS, expiresAt: NOW + HOUR_MS }), always),
      null,
    );
    assert.equal(reconnectBefore(lifetimes(), { rotates: 'unknown', idleDays: 60 }), null);
  });
});

describe('when a failed refresh is retried', () => {
  const fresh = { refreshExpiresAt: null, refreshedAt: null, connectedAt: NOW, refreshBegunAt: null };
  const refused: ProviderFailure = { kind: 'refused', code: null, surelyNotDone: true, retryAfterMs: null };
  const unclear: ProviderFailure = { kind: 'unclear', code: null, surelyNotDone: false, retryAfterMs: null };
  const tryAt = (
    failure: ProviderFailure,
    rules: RefreshRules,
    failures = 0,
    expiresAt: number | null = NOW + HOUR_MS,
  ) => nextTryAt({ ...fresh, expiresAt, failures }, failure, rules, NOW, 0.5);

  test('soon at first, then less and less often, up to about an hour apart', () => {
    const waits = Array.from({ length: 40 }, (_, failures) => tryAt(refused, always, failures) - NOW);
    assert.ok((waits[0] ?? 0) <= 30_000);
    assert.deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    assert.ok((waits[3] ?? 0) > (waits[0] ?? 0) * 4);
    assert.equal(waits.at(-1), HOUR_MS);
  });

  test('not before the provider allows it', () => {
    assert.equal(tryAt({ ...refused, kind: 'rate_limited', retryAfterMs: 5 * HOUR_MS }, always), NOW + 5 * HOUR_MS);
    assert.ok(tryAt({ ...refused, retryAfterMs: 1 }, always, 6) > NOW + 10 * MINUTE_MS);
  });

  test('a single-use token that may be spent is not tried again while the access token works', () => {
    for (const rotates of ['always', 'unknown'] as const) {
      assert.equal(tryAt(unclear, { rotates }), NOW + HOUR_MS);
      assert.ok(tryAt(unclear, { rotates }, 0, NOW - HOUR_MS) > NOW);
      assert.equal(tryAt(unclear, { rotates }, 0, null), NOW + HOUR_MS, 'where nobody knows when it expires');
      assert.equal(
        tryAt(unclear, { rotates, idleDays: 1 }, 0, NOW + 3 * DAY_MS),
        NOW + DAY_MS - HOUR_MS,
        'before it lapses',
      );
    }
    assert.ok(tryAt(refused, always) < NOW + MINUTE_MS);
  });

  test('a reusable refresh token is tried again', () => {
    assert.ok(tryAt(unclear, never) < NOW + MINUTE_MS);
    assert.ok(tryAt(unclear, { rotates: 'always', graceSeconds: 60 }) < NOW + MINUTE_MS);
    const atOnce = { spentAt: NOW, now: NOW };
    assert.deepEqual(
      [never, always, { rotates: 'unknown' } as const, { rotates: 'always', graceSeconds: 60 } as const].map((rules) =>
        bearsRepetition(rules, atOnce),
      ),
      [true, false, false, true],
    );
  });

  test('a token with a grace period is retried only if the request arrives within it', () => {
    const grace: RefreshRules = { rotates: 'always', graceSeconds: 600 };
    const bears = (laterMs: number) => bearsRepetition(grace, { spentAt: NOW, now: NOW + laterMs });
    assert.deepEqual([0, 9 * MINUTE_MS, 590_000, 590_001, 600_000, HOUR_MS].map(bears), [
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    const begun = { ...fresh, expiresAt: NOW + HOUR_MS, refreshBegunAt: NOW - 9 * MINUTE_MS, failures: 1 };
    assert.ok(nextTryAt(begun, unclear, grace, NOW, 0) < NOW + MINUTE_MS);
    assert.equal(nextTryAt({ ...begun, failures: 3 }, unclear, grace, NOW, 0.5), NOW + HOUR_MS);
  });

  test('setting the clock back neither opens nor extends a grace period', () => {
    const back = (rules: RefreshRules, ms: number) => bearsRepetition(rules, { spentAt: NOW, now: NOW - ms });
    for (const ms of [1, MINUTE_MS, HOUR_MS, DAY_MS]) assert.equal(back(always, ms), false);
    const grace: RefreshRules = { rotates: 'always', graceSeconds: 600 };
    assert.equal(back(grace, 1_000), true, 'Two machines do not agree to the second.');
    assert.equal(back(grace, HOUR_MS), false);
    assert.equal(back(never, HOUR_MS), true);
  });

  test('always in the future, and without a reason never much later than an hour', () => {
    const failureOf = fc.record({
      kind: fc.constantFrom('refused', 'rate_limited', 'unavailable', 'unclear'),
      code: fc.constant(null),
      surelyNotDone: fc.boolean(),
      retryAfterMs: fc.option(fc.integer({ min: 1, max: DAY_MS })),
    }) as fc.Arbitrary<ProviderFailure>;
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        failureOf,
        rulesOf,
        fc.nat(),
        fc.option(fc.integer({ min: NOW - DAY_MS, max: NOW + 60 * DAY_MS })),
        random,
        (failure, rules, failures, expiresAt, chance) => {
          const at = nextTryAt({ ...fresh, expiresAt, failures }, failure, rules, NOW, chance);
          assert.ok(Number.isSafeInteger(at));
          assert.ok(at >= NOW + 10_000);
          assert.ok(at >= NOW + (failure.retryAfterMs ?? 0));
          const graceEnds = NOW + (rules.graceSeconds ?? 0) * 1_000;
          const single = rules.rotates !== 'never' && at + 10_000 > graceEnds;
          const mayBeSpent = !failure.surelyNotDone && single;
          if (mayBeSpent && expiresAt !== null && rules.idleDays === undefined) assert.ok(at >= expiresAt);
          const latest = Math.max(
            NOW + 1.25 * HOUR_MS,
            NOW + (failure.retryAfterMs ?? 0),
            mayBeSpent ? (expiresAt ?? 0) : 0,
          );
          assert.ok(at <= latest, `${at - NOW}`);
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('a token counts as expired from the moment it ends', () => {
  assert.equal(hasExpired({ expiresAt: NOW }, NOW), true);
  assert.equal(hasExpired({ expiresAt: NOW + 1 }, NOW), false);
  assert.equal(hasExpired({ expiresAt: null }, NOW), false);
});

test('scopes are missing only if the provider says so', () => {
  assert.deepEqual(missingScopes({ scopesAsked: ['a', 'b'], scopesGranted: ['b', 'c'] }), ['a']);
  assert.deepEqual(missingScopes({ scopesAsked: ['a'], scopesGranted: [] }), ['a']);
  assert.deepEqual(missingScopes({ scopesAsked: ['a'], scopesGranted: null }), []);
});
