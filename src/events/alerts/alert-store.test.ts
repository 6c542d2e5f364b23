import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { findSearches, rememberStatements } from '../../../test/harness/explain-statements.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import type { Database } from '../../platform/index.ts';
import { countOpenAlerts, listEndpointAlerts, listOpenAbout, listOpenAlerts } from './alert-store.ts';

// Only on SQLite, because PostgreSQL may use any index for an empty table.
describe('open alerts among very many', () => {
  const house = useStage(() => createTestApp('sqlite'));

  const search = async (work: (database: Database) => Promise<unknown>): Promise<string> => {
    const { database, statements } = rememberStatements(house.app.database);
    await work(database);
    const searches = await Promise.all(statements.map((statement) => findSearches(house.app.database, statement)));
    return searches
      .flat()
      .filter((line) => line.includes('event_alerts'))
      .join('\n');
  };

  test('of a team are counted and listed without those that are resolved', async () => {
    const byKind = 'SEARCH event_alerts USING INDEX event_alerts_open (team_id=? AND kind=?)';
    assert.equal(await search((database) => countOpenAlerts(database, { teamId: 'team', role: 'admin' }, 100)), byKind);
    assert.equal(await search((database) => listOpenAlerts(database, { teamId: 'team', role: 'member' }, 100)), byKind);
  });

  test('about some things are found by them, and not by reading all of the team', async () => {
    const found = await search((database) => listOpenAbout(database, [{ teamId: 'team', subject: 'call' }]));
    assert.equal(found, 'SEARCH a USING INDEX event_alerts_open (team_id=? AND kind=? AND subject=?)');
  });

  test('about endpoints are looked at a few at a time', async () => {
    const found = await search((database) => listEndpointAlerts(database, 'endpoint', 100));
    assert.equal(found, 'SEARCH event_alerts USING INDEX event_alerts_endpoints (subject>?)');
  });
});
