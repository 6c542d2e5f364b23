import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { startEventReceiver } from '../../../test/harness/event-receiver.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { Secret } from '../../platform/index.ts';
import { newEndpointSecret } from '../endpoints/endpoint.ts';
import { forwardEvents } from './forward-events.ts';

onEachEngine('forwarding events to a developer', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const receiver = useStage(startEventReceiver);

  test('sends what happens from now on, signed, and says how it went', async () => {
    const { team } = await house.createTeam('listener');
    const happen = (subject: string) =>
      house.app.database.transaction((tx) =>
        house.app.events.record(tx, { teamId: team.id, type: 'call.started', subject, data: { id: subject } }),
      );
    await happen('before');
    const secret = newEndpointSecret();
    const stop = new AbortController();
    const said: [unknown, number | null][] = [];
    const began = Promise.withResolvers<void>();
    const events = {
      ...house.app.events,
      findLogEnd: async () => {
        const end = await house.app.events.findLogEnd();
        began.resolve();
        return end;
      },
    };
    const forwarding = forwardEvents(
      { events, clock: house.app.clock },
      { teamId: team.id },
      { url: new Secret(receiver.url), secret, signal: stop.signal },
      (event, { status }) => said.push([event.data['id'], status]),
    );
    await began.promise;
    await happen('first');
    await waitUntil('the first has arrived', () => said.length === 1);
    receiver.respondWith(500);
    await happen('second');
    await waitUntil('the second has arrived', () => said.length === 2);
    stop.abort();
    assert.equal(await forwarding, 2);
    assert.deepEqual(said, [
      ['first', 204],
      ['second', 500],
    ]);
    const [first] = receiver.received;
    assert.ok(first);
    assert.deepEqual(receiver.verify(secret.reveal(), first), first.event);
  });
});
