import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainConnection } from '../../../test/harness/plain-connection.ts';
import { TOKEN_REFUSED } from '../connections/connection.ts';
import {
  isVerificationDue,
  nextVerificationAt,
  postponeUntil,
  retryRejectedAt,
  retryVerificationAt,
} from './verification.ts';

const HOUR_MS = 3_600_000;

test('a connection is verified within a day, and not all of them at once', () => {
  assert.equal(nextVerificationAt(0, 0), 21.6 * HOUR_MS);
  assert.equal(nextVerificationAt(0, 1), 24 * HOUR_MS);
});

test('while the provider is away, it is tried about an hour later, or when it says if that is later', () => {
  assert.equal(retryVerificationAt(0, null, 0.5), HOUR_MS);
  assert.equal(retryVerificationAt(0, 60_000, 0.5), HOUR_MS);
  assert.equal(retryVerificationAt(0, 5 * HOUR_MS, 0.5), 5 * HOUR_MS);
});

test('a rejected connection is verified again after minutes, then hours, then every day', () => {
  for (const random of [0, 1]) {
    const waits: number[] = [];
    for (let now = 0; waits.length < 5; now += waits.at(-1) ?? 0) waits.push(retryRejectedAt(now, 0, random) - now);
    const share = random === 0 ? 0.9 : 1;
    assert.deepEqual(
      waits,
      [5 / 60, 0.5, 2, 24, 24].map((hours) => Math.round(hours * HOUR_MS * share)),
    );
  }
});

test('a time that is further ahead than any connection waits counts as due', () => {
  assert.deepEqual(
    [-1, 0, 1, 24, 26].map((hours) => isVerificationDue(hours * HOUR_MS, 0)),
    [true, true, false, false, true],
  );
});

const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-15T12:00:00Z');
const AGO = { verifyDueAt: NOW, connectedAt: NOW - 30 * DAY_MS };
type Changes = Partial<Parameters<typeof postponeUntil>[0]>;
const postpone = (changes: Changes, random = 1): number | null => {
  const holder = { teamId: 'team', connectedBy: 'ada' };
  return postponeUntil(plainConnection(holder, { id: 'one', ...AGO, ...changes }), NOW, random);
};

test('a token is asked about if nothing has shown for a day that it works', () => {
  for (const changes of [
    {},
    { connectedAt: NOW },
    { usedAt: NOW - DAY_MS, refreshedAt: NOW - 2 * DAY_MS },
    { usedAt: NOW + HOUR_MS },
    { expiresAt: NOW + 1, refreshDueAt: NOW + 1 },
    { status: 'degraded', reason: 'rate_limited' } as const,
  ])
    assert.equal(postpone(changes), null, JSON.stringify(changes));
});

test('a token that was used or refreshed within a day is asked about a day later', () => {
  for (const changes of [
    { usedAt: NOW - HOUR_MS },
    { refreshedAt: NOW - HOUR_MS },
    { usedAt: NOW - HOUR_MS, refreshedAt: 1 },
  ])
    assert.equal(postpone(changes), NOW + 23 * HOUR_MS, JSON.stringify(changes));
  const handedOutAt = NOW - HOUR_MS;
  assert.equal(postpone({ handedOutAt, verifiedAt: NOW - 6 * DAY_MS }), NOW + 23 * HOUR_MS);
  assert.equal(
    postpone({ handedOutAt, verifiedAt: NOW - 7 * DAY_MS }),
    null,
    'Nothing has shown for a week that it works.',
  );
});

test('a token that was refused since is asked about, although it was used', () => {
  const usedAt = NOW - HOUR_MS;
  assert.equal(postpone({ usedAt, renewedAt: NOW }), null);
  assert.equal(postpone({ usedAt, renewedAt: NOW - 1 }), NOW + 23 * HOUR_MS, 'It was refused before the last time.');
  assert.equal(postpone({ usedAt, status: 'needs_reconnect', reason: TOKEN_REFUSED }), null);
});

test('a token is not asked about if the connection has ended, or if a refresh shows more', () => {
  for (const changes of [
    { status: 'needs_reconnect', reason: 'withdrawn' } as const,
    { expiresAt: NOW },
    { refreshDueAt: NOW },
    { refreshBegunAt: NOW - 1 },
  ])
    assert.equal(postpone(changes), NOW + DAY_MS, JSON.stringify(changes));
});

test('tokens that have been due for more than a day are spread out over the next one', () => {
  const verifyDueAt = NOW - DAY_MS - 1;
  for (const random of [0, 0.5, 1]) assert.equal(postpone({ verifyDueAt }, random), NOW + random * DAY_MS);
  assert.equal(postpone({ verifyDueAt: NOW - DAY_MS }), null);
});
