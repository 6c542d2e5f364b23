import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endsConnection, type Held } from './withdrawal.ts';

const held: Held = {
  ...{ accountId: 'T1', clientId: 'client', clientOf: 'operator', connectedAt: 1_000, status: 'connected' },
  ...{ refreshDueAt: null, details: { user_id: 'U1' } },
};
const withdrawal = { accountId: 'T1', at: 2_000, only: {} };
const ends = (changes: Partial<Held>, at = 2_000) =>
  endsConnection({ ...withdrawal, at }, 'client', { ...held, ...changes });

describe('access that was withdrawn', () => {
  test("ends what the operator's client holds of that account", () => {
    assert.ok(ends({}));
    assert.ok(ends({ status: 'degraded', refreshDueAt: 3_000 }));
    assert.ok(!ends({ accountId: 'T2' }));
    assert.ok(!ends({ accountId: null }));
    assert.ok(!ends({ clientId: 'another' }));
    assert.ok(!ends({ clientOf: 'team' }));
  });

  test('ends nothing that was connected later', () => {
    assert.ok(ends({ connectedAt: 2_000 }));
    assert.ok(!ends({ connectedAt: 2_001 }));
  });

  test('ends nothing twice, but also what is only tried once a day', () => {
    assert.ok(!ends({ status: 'needs_reconnect' }));
    assert.ok(ends({ status: 'needs_reconnect', refreshDueAt: 3_000 }));
  });

  test('of some users ends only their connections, and those that may be theirs', () => {
    const endsOf = (users: string[], details: Record<string, string>) =>
      endsConnection({ ...withdrawal, only: { user_id: users } }, 'client', { ...held, details });
    assert.ok(endsOf(['U2', 'U1'], { user_id: 'U1' }));
    assert.ok(!endsOf(['U2'], { user_id: 'U1' }));
    assert.ok(!endsOf([], { user_id: 'U1' }));
    assert.ok(endsOf(['U2'], {}), 'Nobody knows whose it is, so the account decides.');
    assert.ok(!endsOf([], {}));
  });
});
