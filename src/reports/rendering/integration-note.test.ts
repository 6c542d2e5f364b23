import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeFailure } from '../../integrations/catalogue/provider-failure.ts';
import { integrationNote } from './integration-note.ts';
import { LONGEST_NOTE } from './row.ts';

const well = { problem: null, reconnectBefore: null, troubleSince: null, refreshFailures: 0 };
const troubled = { ...well, troubleSince: '2026-11-11T11:00:00.000Z', refreshFailures: 12 };
const noteOf = (standing: typeof troubled | typeof well, problem: string | null) =>
  integrationNote(
    { ...standing, problem },
    { timeZone: 'UTC', hourCycle: 'h23', now: Date.parse('2026-11-15T12:00:00Z') },
    () => true,
  );

describe('what a report says about a connection', () => {
  test('is nothing if nothing is wrong', () => {
    assert.equal(noteOf(well, null), null);
  });

  test('is in sentences, each with one period', () => {
    assert.equal(
      noteOf(troubled, 'The provider refused the request.'),
      'The provider refused the request. Failing since Nov 11, 11:00. Refresh failures in a row: 12.',
    );
  });

  test('never ends within a sentence: what has no room is left out', () => {
    const told = noteOf(
      { ...troubled, refreshFailures: 40 },
      'The provider no longer accepts this connection. It was revoked, expired, or used elsewhere. The error code was "token_inactive".',
    );
    assert.equal(
      told,
      'The provider no longer accepts this connection. Failing since Nov 11, 11:00. Refresh failures in a row: 40.',
    );
  });

  test('leaves out codes in a sentence that is too long with them', () => {
    const lasting =
      'For 120 days, renewals have been refused because of the client ID and secret, which work for other connections (HTTP status 400, code "unsupported_client_authentication"). Patchbay keeps trying once a day.';
    assert.equal(
      noteOf(well, lasting),
      'For 120 days, renewals have been refused because of the client ID and secret, which work for other connections. Patchbay keeps trying once a day.',
    );
  });

  test('is never cut, whatever a provider refuses', () => {
    const kinds = ['invalid_grant', 'invalid_client', 'client_missing', 'client_replaced', 'refused'] as const;
    const others = ['rate_limited', 'unavailable', 'unclear', 'not_asked'] as const;
    for (const kind of [...kinds, ...others])
      for (const code of [null, 'a'.repeat(64)]) {
        const told = noteOf(troubled, describeFailure({ kind, code, surelyNotDone: true, retryAfterMs: null })) ?? '';
        assert.match(told, /^[A-Z].*\. Failing since Nov 11, 11:00\./, kind);
        assert.match(told, /\.$/);
        assert.doesNotMatch(told, /…|\.,/);
      }
  });

  test('is cut only if its first sentence has no room', () => {
    const told = noteOf(troubled, 'word '.repeat(60)) ?? '';
    assert.equal([...told].length, LONGEST_NOTE);
    assert.match(told, /…$/);
  });
});
