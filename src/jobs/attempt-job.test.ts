import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeFailure } from './attempt-job.ts';

describe('what is kept of a failure', () => {
  test('its message on one line', () => {
    assert.equal(describeFailure(new Error('\u0000no\r\n\tway\n')), 'no way');
  });

  test('no more than 500 characters, and no half of one', () => {
    const kept = describeFailure(new Error(`${'x'.repeat(499)}\u{1f600}`));
    assert.equal(kept.length, 500);
    assert.ok(kept.isWellFormed());
  });

  test('a name where there is no message, and nothing of what is not an error', () => {
    assert.equal(describeFailure(new TypeError()), 'TypeError');
    assert.equal(describeFailure('token 123'), 'Something other than an error was thrown.');
  });
});
