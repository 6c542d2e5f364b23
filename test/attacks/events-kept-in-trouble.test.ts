import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { skipAhead } from '../harness/skip-ahead.ts';
import { startCalls } from '../harness/start-calls.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** An endpoint that was read longer ago is read again before the next event. */
const FRESH_MS = 2_000;

onEachEngine('events that were read when the database went away', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const receiver = useStage(startEventReceiver);

  test('are sent once it is back, also if others keep coming', async () => {
    const { database, events } = house.app;
    const { team, admin } = await house.createTeam('trouble');
    const payload = { url: receiver.url };
    const headers = admin.headers;
    const made = await house.server.inject({ method: 'POST', url: '/api/events/endpoints', headers, payload });
    assert.equal(made.statusCode, 201);
    const happen = (...subjects: string[]) => startCalls(house.app, team.id, subjects);
    const subjects = () => receiver.received.map(({ event }) => String(event.data['subject']));
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    await happen('read-1', 'read-2');
    events.sending.start();
    await waitUntil('the first request', () => held.length === 1);
    skipAhead(FRESH_MS);

    const { get } = database;
    const away = Promise.withResolvers<void>();
    const failing: typeof get = (text, values) => {
      if (!text.includes('from event_endpoints')) return get(text, values);
      away.resolve();
      return Promise.reject(new DatabaseUnavailable('gone for a moment'));
    };
    Object.assign(database, { get: failing });
    receiver.respond = receiver.accept;
    for (const response of held) response.writeHead(204).end();
    await away.promise;
    Object.assign(database, { get });

    for (let round = 0; round < 10; round++) {
      await happen(`later-${round}`);
      await waitUntil('what happened later', () => subjects().includes(`later-${round}`));
    }
    assert.ok(subjects().includes('read-2'), subjects().join(', '));
    await waitUntil('all stored', async () => {
      const row = await database.get<{ behind: number }>(
        'select l.position - e.position as behind from event_endpoints e, event_log l',
      );
      return row?.behind === 0;
    });
    assert.equal(new Set(subjects()).size, subjects().length, 'none was sent twice');
  });
});
