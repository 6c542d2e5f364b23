import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { providerEvent } from '../../../test/harness/provider-events.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import { getLogEnds } from '../log/log-store.ts';
import { listEndpointsToTell } from './wake-store.ts';

onEachEngine('endpoints that are woken by what happens at a busy account', (engine) => {
  const house = useStage(() => createTestApp(engine));

  test('are those that chose it, and no other', async () => {
    const { database, events } = house.app;
    const { team } = await house.createTeam('busy');
    const owner = { teamId: team.id, forOperator: false };
    const add = async (types: readonly string[]): Promise<string> => {
      const input = { url: 'http://127.0.0.1:9/hook', types, description: '' };
      return (await events.endpoints.create(owner, COMMAND_LINE, input)).endpoint.id;
    };
    await add(['*']);
    await add(['provider.event:slack', 'provider.event:github/issues', 'call.*']);
    const chosen = [await add(['provider.event']), await add(['*', 'provider.event:github/push'])];
    const { position: after } = await getLogEnds(database);
    const pushes = Array.from({ length: 20 }, () => providerEvent(team.id, { topic: 'push' }));
    await database.transaction((tx) => events.record(tx, ...pushes));
    await events.findLogEnd(null);
    const { position: upTo } = await getLogEnds(database);
    assert.deepEqual((await listEndpointsToTell(database, { after, upTo })).sort(), chosen.sort());
  });
});
