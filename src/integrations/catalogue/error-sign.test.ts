import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchesAny, matchesSign } from './error-sign.ts';
import { toFailure } from './provider-failure.ts';

const body = { error: 'invalid_request', error_description: 'This request requires an Active refresh_token', sub: 7 };
const said = { status: 401, code: 'invalid_request', body };

describe('a sign in a refusal', () => {
  test('is a status, a code, or both together with words elsewhere in the response', () => {
    assert.ok(matchesSign(401, said));
    assert.ok(!matchesSign(400, said));
    for (const page of [null, 'text']) assert.ok(!matchesSign(401, { ...said, body: page }), 'That is a page.');
    assert.ok(matchesSign('invalid_request', said));
    assert.ok(!matchesSign('401', said));
    assert.ok(matchesSign({ status: 401, code: 'invalid_request' }, said));
    assert.ok(matchesSign({ code: 'invalid_request', says: { error_description: 'active refresh_token' } }, said));
    assert.ok(matchesSign({ status: 401, says: { sub: '7' } }, said));
  });

  test('matches only if all of it does', () => {
    const sign = { status: 401, code: 'invalid_request', says: { error_description: 'active refresh_token' } };
    assert.ok(matchesSign(sign, said));
    assert.ok(!matchesSign(sign, { ...said, status: 400 }));
    assert.ok(!matchesSign(sign, { ...said, code: 'invalid_scope' }));
    assert.ok(!matchesSign(sign, { ...said, code: null }));
    for (const other of [null, 'text', [], {}, { error_description: null }, { error_description: 'scope is wrong' }])
      assert.ok(!matchesSign(sign, { ...said, body: other }), JSON.stringify(other));
    assert.ok(!matchesAny([], said));
  });
});

describe('a number in a refusal', () => {
  const numbered = { status: 200, code: '105', body: { error: 105, status: 1_400, text: 'error 1400' } };

  test('is compared as text, and as a whole', () => {
    assert.ok(matchesSign('105', numbered));
    assert.ok(matchesSign({ code: '105', says: { status: '1400', error: '105' } }, numbered));
    for (const part of ['140', '400', '0', '1400.0', '']) {
      assert.ok(!matchesSign({ says: { status: part } }, numbered), part);
      assert.ok(!matchesSign(part, numbered), part);
    }
    assert.ok(matchesSign({ says: { text: '1400' } }, numbered), 'Words are found within a text.');
  });

  test('can end a grant', () => {
    assert.equal(toFailure(numbered, { invalidGrant: ['105'] }).kind, 'invalid_grant');
    assert.equal(
      toFailure(numbered, { invalidGrant: [{ code: '105', says: { status: '1400' } }] }).kind,
      'invalid_grant',
    );
    assert.equal(toFailure(numbered, { invalidGrant: ['10'] }).kind, 'refused');
  });
});

describe('what a refusal means if a code is not enough', () => {
  const invalidGrant = [
    { status: 403, code: 'unauthorized_client', says: { error_description: 'refresh_token is invalid' } },
  ];
  const kindOf = (status: number, code: string, error_description: string) =>
    toFailure({ status, code, body: { error: code, error_description }, retryAfterMs: null }, { invalidGrant }).kind;

  test('the description tells a dead grant from a bad client', () => {
    assert.equal(kindOf(403, 'unauthorized_client', 'refresh_token is invalid'), 'invalid_grant');
    assert.equal(kindOf(403, 'unauthorized_client', 'client_id is unknown'), 'invalid_client');
    assert.equal(kindOf(401, 'unauthorized_client', 'refresh_token is invalid'), 'invalid_client');
  });

  test('outages and rate limits stay what they are, whatever they say', () => {
    for (const [status, kind] of [
      [500, 'unavailable'],
      [429, 'rate_limited'],
    ] as const)
      assert.equal(kindOf(status, 'invalid_grant', 'refresh_token is invalid'), kind);
  });
});
