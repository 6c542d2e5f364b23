import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeJobFailure } from './attempt-job.ts';

describe('the description of a failure', () => {
  test('is the message on one line', () => {
    assert.equal(describeJobFailure(new Error('\u0000no\r\n\tway\n')), 'no way');
  });

  test('has at most 500 characters, and never half of one', () => {
    const kept = describeJobFailure(new Error(`${'x'.repeat(499)}\u{1f600}`));
    assert.equal(kept.length, 500);
    assert.ok(kept.isWellFormed());
  });

  test('is the name if there is no message, and reveals nothing if it is not an error', () => {
    assert.equal(describeJobFailure(new TypeError()), 'TypeError');
    assert.equal(describeJobFailure('token 123'), 'Something other than an error was thrown.');
  });
});
