import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { startEventReceiver } from '../../../test/harness/event-receiver.ts';
import { providerEvent } from '../../../test/harness/provider-events.ts';
import { startStopwatch } from '../../../test/harness/start-stopwatch.ts';
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
      findLogEnd: async (scope: { teamId: string } | null) => {
        const end = await house.app.events.findLogEnd(scope);
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

  test('sends only what was chosen, and without a choice everything', async () => {
    const { team } = await house.createTeam('chooser');
    receiver.respond = receiver.accept;
    const listen = async (types?: string[]): Promise<unknown[]> => {
      const stop = new AbortController();
      const said: unknown[] = [];
      let isRecorded = false;
      const events = {
        findLogEnd: house.app.events.findLogEnd,
        followLog: async (...query: Parameters<typeof house.app.events.followLog>) => {
          const news = [
            providerEvent(team.id, { id: 'issues' }),
            providerEvent(team.id, { id: 'push', topic: 'push' }),
          ];
          const last = { teamId: team.id, type: 'call.started' as const, subject: 'call', data: { id: 'call' } };
          if (!isRecorded) await house.app.database.transaction((tx) => house.app.events.record(tx, ...news, last));
          isRecorded = true;
          const page = await house.app.events.followLog(...query);
          if (page.events.length === 0) stop.abort();
          return page;
        },
      };
      await forwardEvents(
        { events, clock: house.app.clock },
        { teamId: team.id },
        { url: new Secret(receiver.url), secret: newEndpointSecret(), types, signal: stop.signal },
        (event) => said.push(event.data['id']),
      );
      return said;
    };
    assert.deepEqual(await listen(['provider.event:github/issues', 'call.*']), ['issues', 'call']);
    assert.deepEqual(await listen(), ['issues', 'push', 'call']);
  });

  test('ends at once, also beside a receiver that doesn’t respond', async () => {
    const { team } = await house.createTeam('silent');
    const stop = new AbortController();
    let asked = 0;
    receiver.respond = () => void asked++;
    const events = {
      findLogEnd: house.app.events.findLogEnd,
      followLog: async (...query: Parameters<typeof house.app.events.followLog>) => {
        await house.app.database.transaction((tx) =>
          house.app.events.record(
            tx,
            ...['a', 'b', 'c'].map((subject) => ({
              teamId: team.id,
              type: 'call.started' as const,
              subject,
              data: {},
            })),
          ),
        );
        return house.app.events.followLog(...query);
      },
    };
    const said: unknown[] = [];
    const forwarding = forwardEvents(
      { events, clock: house.app.clock },
      { teamId: team.id },
      { url: new Secret(receiver.url), secret: newEndpointSecret(), signal: stop.signal },
      (event) => said.push(event),
    );
    await waitUntil('the first request', () => asked === 1);
    const readMs = startStopwatch();
    stop.abort();
    assert.equal(await forwarding, 0);
    assert.ok(readMs() < 2_000);
    assert.deepEqual([said.length, asked], [0, 1]);
  });
});
