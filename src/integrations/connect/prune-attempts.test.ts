import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import { insertRevocation } from '../connections/revocation-store.ts';
import { type ConnectAttempt, insertAttempt, insertUsedTicket } from './attempt-store.ts';
import { handlePruneAttempts } from './prune-attempts.job.ts';

const HOUR_MS = 3_600_000;

onEachEngine('what is left of connecting and disconnecting', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const database = prepare(async () => house.app.database);
  const team = prepare(() => house.createTeam('acme'));
  const prune = () => handlePruneAttempts({ ...house.app, clock })();

  /** Lists the keys of the rows that are still there. */
  const list = async (table: string, key: string, where = 'true'): Promise<string[]> => {
    const rows = await database.all<{ key: string }>(
      `select ${key} as key from ${table} where ${where} order by ${key}`,
    );
    return rows.map((row) => row.key);
  };

  /** How long ago each row expired, in ms. */
  const EXPIRED = { new: -1, now: 0, just: 1, hour: HOUR_MS, old: HOUR_MS + 1 };

  test('keeps a code until it expires, and that it was used for an hour longer', async () => {
    const { teamId, id: userId } = team.member.user;
    for (const [stateDigest, agoMs] of Object.entries(EXPIRED)) {
      const attempt: ConnectAttempt = {
        phase: 'parked',
        ...{ stateDigest, teamId, userId, provider: 'github', attemptDigest: null },
        ...{ callback: 'sealed', outcome: null, createdAt: 1, expiresAt: clock.now() - agoMs },
      };
      assert.equal(await insertAttempt(database, attempt), 1);
      assert.equal(await insertAttempt(database, { ...attempt, callback: 'another' }), 0);
      assert.equal(await insertUsedTicket(database, stateDigest, attempt.expiresAt), 1);
      assert.equal(await insertUsedTicket(database, stateDigest, attempt.expiresAt + 1), 0);
    }
    await prune();
    assert.deepEqual(await list('connect_attempts', 'state_digest', "callback = 'sealed'"), ['new', 'now']);
    assert.deepEqual(await list('connect_attempts', 'state_digest'), ['hour', 'just', 'new', 'now']);
    assert.deepEqual(await list('used_tickets', 'digest'), ['hour', 'just', 'new', 'now']);
  });

  test('keeps the token of a revocation until that is given up, and no longer', async () => {
    for (const [id, agoMs] of Object.entries(EXPIRED))
      await insertRevocation(database, {
        tokenKind: 'refresh',
        ...{ accessToken: null, accessExpiresAt: null, answeredAt: null },
        clientOf: 'operator',
        ...{ id, teamId: team.team.id, provider: 'github', token: 'sealed', details: {} },
        ...{ clientId: 'client', authority: 'github.com', accountId: null, installationId: null, accountFrom: null },
        ...{ createdAt: 1, expiresAt: clock.now() - agoMs },
      });
    await prune();
    assert.deepEqual(await list('revocations', 'id'), ['new', 'now']);
  });
});
