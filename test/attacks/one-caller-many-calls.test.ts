import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listEarlierAttempts, listMarkedTogether } from '../../src/telephony/calls/return-mark-store.ts';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { findSearches, rememberStatements } from '../harness/explain-statements.ts';
import { useStage } from '../harness/use-stage.ts';

const CALL = { teamId: 'team', id: 'call', fromHash: 'caller', startedAt: 5, markedReturnedAt: 7 };

/** Marking one call of someone who had called 100,000 times took half a second, in which nobody else was served. */
onEachEngine('the calls of someone who calls again and again', (engine) => {
  const house = useStage(() => createTestApp(engine));

  const searchesOf = async (read: (database: typeof house.app.database) => Promise<unknown>): Promise<string> => {
    const { database, statements } = rememberStatements(house.app.database);
    await read(database as typeof house.app.database);
    const [statement, ...others] = statements;
    assert.ok(statement);
    assert.equal(others.length, 0);
    return (await findSearches(house.app.database, statement)).join('\n');
  };

  test('are read only from when the team last spoke with them, to mark them as returned', async () => {
    const searches = await searchesOf((database) => listEarlierAttempts(database, CALL, 20));
    assert.match(searches, /calls_unmarked .*team_id ?=.*from_hash ?=.*started_at ?>/);
    for (const index of ['calls_made', 'calls_answered']) assert.match(searches, new RegExp(index));
  });

  test('are read only as far as they were marked at the same moment, to take that back', async () => {
    const searches = await searchesOf((database) => listMarkedTogether(database, CALL, 20));
    assert.match(searches, /calls_marked .*team_id ?=.*from_hash ?=.*marked_returned_at ?=/);
  });
});
