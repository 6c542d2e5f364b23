import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProviderFailure } from '../catalogue/provider-failure.ts';
import {
  type ClientStanding,
  countRefusal,
  describeLasting,
  findLasting,
  type RepeatedRefusal,
} from './repeated-refusal.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const HOUR_MS = 3_600_000;
const failureOf = (kind: ProviderFailure['kind'], code: string | null = null, httpStatus = 400): ProviderFailure => ({
  kind,
  code,
  httpStatus,
  surelyNotDone: true,
  retryAfterMs: null,
});

/** Counts the failures, one an hour. */
const countAll = (failures: readonly ProviderFailure[]): RepeatedRefusal | null =>
  failures.reduce<RepeatedRefusal | null>(
    (known, failure, hour) => countRefusal(known, failure, null, NOW + hour * HOUR_MS),
    null,
  );

describe('a repeated refusal', () => {
  test('is counted from the first one', () => {
    const refused = failureOf('refused', 'invalid_request');
    assert.deepEqual(countAll([refused, refused, refused]), {
      same: { how: 'refused 400 invalid_request', since: NOW, times: 3 },
      any: { since: NOW, times: 3 },
    });
  });

  test('starts over when it changes', () => {
    const known = countAll([failureOf('refused', 'invalid_request'), failureOf('refused', 'invalid_scope')]);
    assert.deepEqual(known, {
      same: { how: 'refused 400 invalid_scope', since: NOW + HOUR_MS, times: 1 },
      any: { since: NOW, times: 2 },
    });
    assert.equal(countAll([failureOf('refused'), failureOf('invalid_client')])?.same?.times, 1);
    assert.equal(countAll([failureOf('refused', null, 403), failureOf('refused', null, 404)])?.same?.times, 1);
  });

  test('counts a page or a redirect as any refusal, without ending the count of the same one', () => {
    const page = failureOf('unclear', null, 200);
    const redirect = failureOf('unclear', null, 302);
    assert.deepEqual(countAll([page, redirect]), { same: null, any: { since: NOW, times: 2 } });
    assert.deepEqual(countAll([failureOf('refused'), page, failureOf('refused')]), {
      same: { how: 'refused 400', since: NOW, times: 2 },
      any: { since: NOW, times: 3 },
    });
  });

  test('of a client does not count as any refusal', () => {
    const refused = failureOf('invalid_client', 'invalid_client', 401);
    for (const client of ['unproven', 'works', 'works_elsewhere', 'alone'] as const)
      assert.equal(countRefusal(null, refused, client, NOW)?.any, null);
  });

  test('of a client starts over when the client starts or stops working for others', () => {
    const refused = failureOf('invalid_client', 'invalid_client', 401);
    const first = countRefusal(null, refused, 'unproven', NOW);
    const working = countRefusal(first, refused, 'works', NOW + HOUR_MS);
    assert.deepEqual([working?.same?.since, working?.same?.times], [NOW + HOUR_MS, 1]);
    assert.equal(countRefusal(working, refused, 'works', NOW + 2 * HOUR_MS)?.same?.times, 2);
    for (const other of ['unproven', 'works_elsewhere', 'alone'] as const)
      assert.equal(countRefusal(working, refused, other, NOW + 2 * HOUR_MS)?.same?.times, 1);
  });

  test('neither starts nor ends with an outage', () => {
    const silence: ProviderFailure = { kind: 'unclear', code: null, surelyNotDone: false, retryAfterMs: null };
    const outages = (['unavailable', 'rate_limited', 'not_asked', 'client_missing'] as const).map((kind) =>
      failureOf(kind),
    );
    for (const outage of [silence, ...outages]) {
      assert.equal(countAll([outage, outage]), null);
      assert.deepEqual(countAll([failureOf('refused'), outage, failureOf('refused')]), {
        same: { how: 'refused 400', since: NOW, times: 2 },
        any: { since: NOW, times: 2 },
      });
    }
  });

  const tenSame = { same: { how: 'refused 400', since: NOW, times: 10 }, any: { since: NOW, times: 10 } };
  const lastingAfter = (hours: number, known: RepeatedRefusal, failure = failureOf('refused')) =>
    findLasting(known, failure, null, NOW + hours * HOUR_MS);

  test('counts as lasting after three days, but not after two responses far apart', () => {
    assert.equal(lastingAfter(72, tenSame)?.same, true);
    assert.equal(lastingAfter(72 - 1 / HOUR_MS, tenSame), null);
    assert.equal(lastingAfter(100, { ...tenSame, same: { ...tenSame.same, times: 9 } }), null);
    assert.equal(lastingAfter(100, tenSame, failureOf('unavailable', null, 503)), null, 'An outage is no refusal.');
  });

  test('counts as lasting after seven days if it was not always the same', () => {
    const mixed: RepeatedRefusal = { same: { how: 'other', since: NOW + 166 * HOUR_MS, times: 2 }, any: tenSame.any };
    for (const failure of [failureOf('refused'), failureOf('unclear', null, 302), failureOf('unclear', null, 200)]) {
      assert.equal(lastingAfter(167, mixed, failure), null);
      assert.deepEqual(lastingAfter(168, mixed, failure)?.same, false);
    }
    assert.equal(lastingAfter(200, { ...mixed, any: { since: NOW, times: 9 } }), null);
    for (const kind of ['unavailable', 'rate_limited'] as const)
      assert.equal(lastingAfter(200, mixed, failureOf(kind, null, 503)), null);
  });

  test('asks for a reconnect if that may help', () => {
    const refused = failureOf('invalid_client', 'invalid_client', 401);
    const asks = (failure: ProviderFailure, client: ClientStanding | null) =>
      findLasting(tenSame, failure, client, NOW + 200 * HOUR_MS) !== null;
    assert.equal(asks(refused, 'unproven'), false);
    for (const client of ['works', 'works_elsewhere', 'alone'] as const) assert.equal(asks(refused, client), true);
    assert.equal(asks(failureOf('client_replaced'), null), true);
    assert.equal(asks(failureOf('client_missing'), null), false);
  });

  test('is described in plain words, with the days, the status and any code', () => {
    const lasting = { since: NOW, now: NOW + 75 * HOUR_MS, client: null, same: true };
    assert.match(
      describeLasting(failureOf('refused', 'invalid_request'), lasting, 'operator'),
      /3 days.*400.*"invalid_request"/,
    );
    assert.match(describeLasting(failureOf('refused', null, 403), lasting, 'operator'), /\(HTTP status 403\)/);
    const later = { ...lasting, now: NOW + 20 * 24 * HOUR_MS };
    assert.match(describeLasting(failureOf('refused'), later, 'operator'), /^For 20 days/);
    const mixed = describeLasting(failureOf('unclear', null, 302), { ...later, same: false }, 'operator');
    assert.match(mixed, /^For 20 days, no renewal has succeeded.* \(last response: HTTP status 302\)\./);
  });

  test('says no more about the client than is known', () => {
    const tell = (client: ClientStanding, clientOf: 'operator' | 'team') =>
      describeLasting(
        failureOf('invalid_client'),
        { since: NOW, now: NOW + 75 * HOUR_MS, client, same: true },
        clientOf,
      );
    assert.match(tell('works', 'operator'), /work for other connections/);
    assert.match(tell('alone', 'team'), /your team's own client/);
    for (const client of ['alone', 'works_elsewhere'] as const)
      assert.match(tell(client, 'operator'), /are wrong, which only your administrator can fix, or access has ended/);
  });

  test('fits in the weekly report, including what is not known', () => {
    const report = (
      client: ClientStanding | null,
      same = true,
      code = 'a_long_code_that_fills_the_note_of_the_report',
    ) =>
      `housecallpro, ${describeLasting(
        failureOf('refused', code),
        { since: NOW, now: NOW + 300 * HOUR_MS, client, same },
        'operator',
      )}`.slice(0, 149);
    for (const text of [report(null), report(null, false)]) assert.match(text, /access may not have ended/);
    assert.match(report('works'), /work for other connections/);
    assert.match(report('alone'), /administrator can fix, or access has ended/);
  });
});
