import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { type GroupFilter, listGroups } from './request-group-store.ts';

// Only on SQLite, because PostgreSQL may use any index for an empty table.
describe("a caller's requests among very many of a team", () => {
  const house = useStage(() => createTestApp('sqlite'));

  const search = async (filter: GroupFilter): Promise<string> => {
    const { database, statements } = rememberStatements(house.app.database);
    await listGroups(database, 'team', filter, { from: '0', before: 'f', limit: 50 });
    const searches = await Promise.all(statements.map((statement) => findSearches(house.app.database, statement)));
    return searches.flat().join('\n');
  };

  test('are found by the caller, whatever else is asked for', async () => {
    const more: GroupFilter[] = [{}, { provider: 'acme', connection: 'default' }, { failed: true }];
    for (const filter of more) {
      const found = await search({ caller: 'token', ...filter });
      assert.match(found, /INDEX request_groups_caller \(team_id=\? AND \(caller,id\)>\(\?,\?\) AND \(caller,id\)</);
      assert.doesNotMatch(found, /TEMP B-TREE/);
    }
  });
});
