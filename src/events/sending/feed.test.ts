import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { onOneEngine } from '../../../test/harness/databases.ts';
import { startEventReceiver } from '../../../test/harness/event-receiver.ts';
import { holdAnswer } from '../../../test/harness/hold-database.ts';
import { startCalls } from '../../../test/harness/start-calls.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { DatabaseUnavailable } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';

/** Longer than the first wait after a failure. */
const RETRY_MS = 6_000;

onOneEngine('an event that is read for an endpoint', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const createStage = async () => {
    const { team } = await house.createTeam(`feed-${++made}`);
    const url = new URL(`/feed/${made}`, receiver.url).href;
    const owner = { teamId: team.id, forOperator: false };
    const input = { url, types: ['*'], description: '' };
    const { endpoint } = await house.app.events.endpoints.create(owner, COMMAND_LINE, input);
    return {
      owner,
      id: endpoint.id,
      happen: (...subjects: string[]) => startCalls(house.app, team.id, subjects),
      received: () =>
        receiver.received.filter(({ path }) => url.endsWith(path)).map(({ event }) => event.data['subject']),
      countAttempts: async () =>
        (await house.app.database.all('select id from event_attempts where endpoint_id = $1', [endpoint.id])).length,
    };
  };

  const sendAll = () => house.app.events.sending.sendAll();

  /** From now on, every request waits for its response until `acceptAll` is called. */
  const holdResponses = () => {
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    return {
      held,
      acceptAll(): void {
        receiver.respond = receiver.accept;
        for (const response of held) response.writeHead(204).end();
      },
    };
  };

  test('isn’t sent again because it was accepted while retries were being listed', async () => {
    const { happen, received, countAttempts } = await createStage();
    receiver.respondWith(500);
    await happen('failed');
    await sendAll();
    clock.advance(RETRY_MS);
    const { held, acceptAll } = holdResponses();
    const retrying = sendAll();
    await waitUntil('the retry', () => held.length === 1);
    const listing = holdAnswer(house.app.database, 'all', 'from event_retries');
    await happen('new');
    const sending = sendAll();
    await listing.answered;
    acceptAll();
    await waitUntil('the result is stored', async () => (await countAttempts()) === 2);
    listing.release();
    await Promise.all([retrying, sending]);
    assert.deepEqual(received(), ['failed', 'failed', 'new']);
  });

  test('leaves nothing behind if it, or the endpoint, is gone by the time it’s refused', async () => {
    const { database, events } = house.app;
    const [removed, pruned] = [await createStage(), await createStage()];
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    await removed.happen('to an endpoint that is removed');
    await pruned.happen('pruned');
    let isSent = false;
    const sending = sendAll().then(() => {
      isSent = true;
    });
    await waitUntil('both requests', () => held.length === 2);
    await events.endpoints.remove(removed.owner, COMMAND_LINE, removed.id);
    await database.run('delete from events where team_id = $1', [pruned.owner.teamId]);
    for (const response of held) response.writeHead(500).end();
    const couldNotBeStored = () => house.lines.some(({ message }) => /could not be stored/.test(message));
    await waitUntil('the results are stored, or can’t be', () => isSent || couldNotBeStored());
    assert.equal(couldNotBeStored(), false);
    await sending;
    assert.equal(await pruned.countAttempts(), 0);
    assert.deepEqual(await database.all('select event_id from event_retries'), []);
  });

  test('is sent once the database is back, also if others were being read when it was away', async () => {
    const { happen, received } = await createStage();
    receiver.respond = receiver.accept;
    // Events are sent one after the other until the first success.
    await happen('first');
    await sendAll();
    const { database, vault } = house.app;
    const { open } = vault;
    const [asked, away] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    const failing: typeof open = (teamId, place, sealed) => {
      if (place.field !== 'event') return open(teamId, place, sealed);
      Object.assign(vault, { open });
      asked.resolve();
      return away.promise;
    };
    Object.assign(vault, { open: failing });
    await happen('interrupted');
    const interrupted = sendAll();
    await asked.promise;
    const reading = holdAnswer(database, 'all', 'from events where team_id');
    await happen('read meanwhile');
    const sending = sendAll();
    await reading.answered;
    away.reject(new DatabaseUnavailable('gone for a moment'));
    await waitUntil('it failed', () => house.lines.some(({ message }) => message === 'an event could not be sent yet'));
    reading.release();
    await Promise.all([interrupted, sending]);
    assert.deepEqual(received().toSorted(), ['first', 'interrupted', 'read meanwhile']);
  });
});
