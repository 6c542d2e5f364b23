import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Database } from '../../platform/index.ts';
import { countWaitingApprovals, listApprovals } from './approval-store.ts';
import { listDue, listOrphaned } from './due-approval-store.ts';

// Only on SQLite, because PostgreSQL may use any index for an empty table.
describe('approvals among very many', () => {
  const house = useStage(() => createTestApp('sqlite'));

  const search = async (work: (database: Database) => Promise<unknown>): Promise<string> => {
    const { database, statements } = rememberStatements(house.app.database);
    await work(database);
    const searches = await Promise.all(statements.map((statement) => findSearches(house.app.database, statement)));
    return searches.flat().join('\n');
  };
  const of = { teamId: 'team', tokenId: 'token' };

  test('are counted and listed without those that no longer wait', async () => {
    const waiting = /USING (?:COVERING )?INDEX approvals_waiting/;
    assert.match(await search((database) => countWaitingApprovals(database, of, 1)), waiting);
    assert.match(await search((database) => listApprovals(database, { ...of, waitingAt: 1 }, null, 50)), waiting);
    assert.match(await search((database) => listOrphaned(database, 100)), waiting);
  });

  test('are found by their time when they are due', async () => {
    const due = (kind: 'expired' | 'abandoned') =>
      search((database) => listDue(database, kind, { now: 1, after: null, limit: 100 }));
    assert.match(await due('expired'), /INDEX approvals_expiring/);
    assert.match(await due('abandoned'), /INDEX approvals_sending/);
  });
});
