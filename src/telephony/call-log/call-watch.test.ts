import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingsStage } from '../../../test/harness/recordings-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import type { Database } from '../../platform/index.ts';
import { insertCalls } from '../processing/call-batch-store.ts';
import { beginCall } from '../processing/put-calls.ts';
import { createCallWatch } from './call-watch.ts';

test('everyone who watches is told of each change once, from shortly before they came, even after a look that failed', async (context) => {
  const stage = await createRecordingsStage('sqlite');
  context.after(() => stage.close());
  const { team, clock, newId } = stage;
  const accountId = await stage.addAccount();
  const addCall = async (): Promise<string> => {
    const id = newId();
    const call = { teamId: team.id, accountId, provider: 'stand-in', externalId: id, receivedAt: clock.now() };
    await insertCalls(stage.database, [beginCall(id, call)], clock.now());
    clock.advance(1);
    return id;
  };
  let isAway = false;
  let failures = 0;
  const allFrom: Database['allFrom'] = (...statement) => {
    if (!isAway) return stage.database.allFrom(...statement);
    failures++;
    return Promise.reject(new Error('away'));
  };
  const { watch } = createCallWatch({ ...stage, database: { ...stage.database, allFrom } });
  const startWatching = (since: number) => {
    const told: string[] = [];
    context.after(watch(team.id, since, (calls) => void told.push(...calls.map(({ id }) => id))));
    return told;
  };

  const before = await addCall();
  clock.advance(10_000);
  const told = startWatching(clock.now());
  const late = startWatching(clock.now() - 1);
  await waitUntil('the first look', () => late.length === 1);
  const first = await addCall();
  await waitUntil('both have heard', () => told.length === 1 && late.length === 2);
  isAway = true;
  const second = await addCall();
  await waitUntil('a look has failed', () => failures > 0);
  isAway = false;
  await waitUntil('both have heard of the next', () => told.length === 2 && late.length === 3);
  const third = await addCall();
  await waitUntil('both have heard of the last', () => told.length === 3 && late.length === 4);
  assert.deepEqual(told, [first, second, third]);
  assert.deepEqual(late, [before, first, second, third]);
});
