import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Database } from '../../platform/index.ts';
import { getConnection } from '../connections/connection-store.ts';
import { listTokenUses } from '../incidents/exposure/use-store.ts';

// Only on SQLite, because PostgreSQL may use any index for an empty table.
describe('what is contained, among very much', () => {
  const house = useStage(() => createTestApp('sqlite'));

  const search = async (work: (database: Database) => Promise<unknown>): Promise<string> => {
    const { database, statements } = rememberStatements(house.app.database);
    await work(database);
    const searches = await Promise.all(statements.map((statement) => findSearches(house.app.database, statement)));
    return searches.flat().join('\n');
  };

  test('is told without reading what other teams have contained', async () => {
    const key = { teamId: 'team', provider: 'acme', name: 'default' };
    const searches = await search((database) => getConnection(database, key));
    assert.match(searches, /INDEX containments_in_force \(of_team_id=\?\)/);
    assert.doesNotMatch(searches, /SCAN k/);
  });

  test('is told who used it without reading what else the team has used', async () => {
    const searches = await search((database) =>
      listTokenUses(database, { teamId: 'team', connectionId: 'connection' }, 1),
    );
    assert.match(searches, /\(connection_id=\?\)/);
  });
});
