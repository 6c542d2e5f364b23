import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { describeFailure, readRetryAfter, toFailure, toShowableCode } from './provider-failure.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const DAY_MS = 24 * 3_600_000;
const failureOf = (status: number, code: string | null = null, invalidGrant: string[] = []) =>
  toFailure({ status, code, body: null, retryAfterMs: null }, { invalidGrant });

describe('what a refusal means', () => {
  test('is about the grant, the client, the request or the moment', () => {
    const cases: [number, string | null, string][] = [
      [400, 'invalid_grant', 'invalid_grant'],
      [200, 'invalid_grant', 'invalid_grant'],
      [401, 'invalid_client', 'invalid_client'],
      [400, 'unauthorized_client', 'invalid_client'],
      [400, 'invalid_request', 'refused'],
      [403, null, 'refused'],
      [200, 'some_error', 'refused'],
      [429, null, 'rate_limited'],
      [429, 'invalid_grant', 'rate_limited'],
      [500, null, 'unavailable'],
      [503, 'invalid_grant', 'unavailable'],
      [200, null, 'unclear'],
      [204, null, 'unclear'],
      [302, null, 'unclear'],
    ];
    for (const [status, code, kind] of cases) assert.equal(failureOf(status, code).kind, kind, `${status} ${code}`);
  });

  test("only the entry's own codes end a grant", () => {
    assert.equal(failureOf(400, '190', ['190']).kind, 'invalid_grant');
    assert.equal(failureOf(200, 'token_revoked', ['token_revoked']).kind, 'invalid_grant');
    assert.equal(failureOf(400, '190').kind, 'refused');
    assert.equal(failureOf(400, null, ['']).kind, 'refused');
  });

  test("the entry's signs reject the client, unless the grant has ended", () => {
    const errors = { invalidGrant: ['dead'], invalidClient: ['dead', { status: 401, says: { message: 'secret' } }] };
    const kindOf = (status: number, code: string | null, message: string) =>
      toFailure({ status, code, body: { message }, retryAfterMs: null }, errors).kind;
    assert.equal(kindOf(401, null, 'Wrong Secret'), 'invalid_client');
    assert.equal(kindOf(400, null, 'Wrong Secret'), 'refused');
    assert.equal(kindOf(401, null, 'Wrong token'), 'refused');
    assert.equal(kindOf(400, 'dead', ''), 'invalid_grant');
    assert.equal(kindOf(503, null, 'Wrong Secret'), 'unavailable');
  });

  test('only after silence or an outage may the request have been carried out', () => {
    for (const [status, code] of [
      [400, 'invalid_grant'],
      [401, null],
      [429, null],
      [200, 'error'],
    ] as const)
      assert.equal(failureOf(status, code).surelyNotDone, true, `${status}`);
    for (const status of [200, 204, 302, 500, 502, 503, 504])
      assert.equal(failureOf(status).surelyNotDone, false, `${status}`);
  });

  test('whatever the provider says, only two reasons end a connection', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }),
        fc.option(fc.string()),
        fc.array(fc.string()),
        (status, code, ends) => {
          const { kind } = failureOf(status, code, ends);
          if (kind === 'invalid_grant') assert.ok(code === 'invalid_grant' || (code !== null && ends.includes(code)));
          if (status >= 500 || status === 429) assert.notEqual(kind, 'invalid_grant');
        },
      ),
    );
  });
});

describe("a provider's words", () => {
  test('are shown if they look like a code', () => {
    for (const code of ['invalid_grant', 'AADSTS70008', 'NOT_FOUND', 'token.expired', 'a-b', '190', 'x'.repeat(64)])
      assert.equal(toShowableCode(code), code);
  });

  test("are dropped if they don't", () => {
    const texts = [
      '',
      ' ',
      'Not a code',
      'xoxb-12-ab34',
      'a1b2c3d4',
      'eyJhbGciOi',
      '<b>x</b>',
      'a\nb',
      'code\n',
      'ü',
      'a"b',
      "a'b",
      '{x}',
      'a/b',
      'x'.repeat(65),
    ];
    for (const text of texts) {
      assert.equal(toShowableCode(text), null, text);
      assert.equal(failureOf(400, text).code, null, text);
    }
    assert.equal(toShowableCode(null), null);
  });

  test('count even if they are not shown', () => {
    const failure = failureOf(400, 'Token has been revoked.', ['Token has been revoked.']);
    assert.deepEqual([failure.kind, failure.code], ['invalid_grant', null]);
  });

  test('never put markup or a line break into what people read', () => {
    fc.assert(
      fc.property(fc.constantFrom(200, 400, 401, 429, 500), fc.string({ unit: anyCharacter }), (status, code) => {
        assert.match(describeFailure(failureOf(status, code)), /^[\w .,:"-]+$/);
      }),
    );
  });

  test('are shown once', () => {
    assert.match(describeFailure(failureOf(400, 'invalid_scope')), /The error code was "invalid_scope"\.$/);
    assert.doesNotMatch(describeFailure(failureOf(400, 'invalid_grant')), /The error code/);
  });
});

describe('Retry-After', () => {
  test('in seconds', () => {
    assert.equal(readRetryAfter('120', NOW), 120_000);
    assert.equal(readRetryAfter(' 5 ', NOW), 5_000);
  });

  test('as a date', () => {
    assert.equal(readRetryAfter('Sun, 15 Nov 2026 12:01:30 GMT', NOW), 90_000);
    assert.equal(readRetryAfter('Sunday, 15-Nov-26 12:01:30 GMT', NOW), 90_000);
  });

  test('is ignored if it is past, zero, nonsensical or missing', () => {
    const values = ['0', '-1', 'soon', '', ' ', '1.5', '1e9', 'Sun, 15 Nov 2026 11:59:59 GMT', '5 minutes', undefined];
    for (const value of values) assert.equal(readRetryAfter(value, NOW), null, value);
  });

  test('is followed for at most a day', () => {
    assert.equal(readRetryAfter('999999999999', NOW), DAY_MS);
    assert.equal(readRetryAfter('Fri, 31 Dec 2100 23:59:59 GMT', NOW), DAY_MS);
    const headers = fc.oneof(
      fc.string(),
      fc.bigInt({ min: 0n }).map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const ms = readRetryAfter(header, NOW);
        assert.ok(ms === null || (Number.isSafeInteger(ms) && ms > 0 && ms <= DAY_MS), `${header}: ${ms}`);
      }),
      { numRuns: 500 },
    );
  });
});
