import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { plainConnection } from '../../../test/harness/plain-connection.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import { changeLeased, changeStanding } from './change-standing.ts';
import type { Connection } from './connection.ts';
import { getConnection, insertConnection } from './connection-store.ts';

onEachEngine('the standing of a connection', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const team = prepare(() => house.createTeam('acme'));
  const contextOf = () => ({ ...house.app, catalogue: new Map(), url: house.config.url });

  const open = async (id: string, changes: Partial<Connection> = {}) => {
    const { teamId, id: connectedBy } = team.admin.user;
    const row = plainConnection({ teamId, connectedBy }, { id, ...changes });
    await insertConnection(house.app.database, row);
    const listEvents = async () => {
      const rows = await house.app.database.all<{ type: string }>(
        'select type from events where team_id = $1 and subject = $2 order by id',
        [teamId, id],
      );
      return rows.map(({ type }) => type);
    };
    return { row, listEvents };
  };

  const DEGRADED = { status: 'degraded', reason: 'provider_unavailable' } as const;

  test('is told once if two notice the same trouble at the same moment', async () => {
    const { row, listEvents } = await open('twice');
    const notice = () => changeStanding(contextOf(), row, DEGRADED);
    await runTogether(house.app.database, 'connections', [notice, notice]);
    assert.deepEqual(await listEvents(), ['connection.degraded']);
  });

  test('stays as it is if the connection has changed since it was read, or someone else has its lease', async () => {
    const { row, listEvents } = await open('outdated', { generation: 2, leaseNumber: 3, leaseUntil: 9 });
    assert.equal(await changeStanding(contextOf(), { ...row, generation: 1 }, DEGRADED), 0);
    assert.equal(await changeLeased(contextOf(), { ...row, leaseNumber: 2 }, DEGRADED), 0);
    assert.deepEqual(await getConnection(house.app.database, row), row);
    assert.deepEqual(await listEvents(), []);
    assert.equal(await changeLeased(contextOf(), row, DEGRADED), 1);
    const { status, leaseUntil } = (await getConnection(house.app.database, row)) ?? assert.fail();
    assert.deepEqual([status, leaseUntil], ['degraded', null]);
    assert.deepEqual(await listEvents(), ['connection.degraded']);
  });
});
