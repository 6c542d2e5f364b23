import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

onEachEngine('an event that is new and replayed at the same time', (engine) => {
  const house = useStage(() => createTestApp(engine));
  const bad = useStage(startEventReceiver);
  const good = useStage(startEventReceiver);

  const newTeam = async (name: string, url: string) => {
    const { team, admin } = await house.createTeam(name);
    const ask = (path: string, payload: object) =>
      house.server.inject({ method: 'POST', url: `/api/events/endpoints${path}`, headers: admin.headers, payload });
    const { id } = (await ask('', { url })).json();
    const happen = (...subjects: string[]) =>
      house.app.database.transaction((tx) =>
        house.app.events.record(
          tx,
          ...subjects.map((subject) => ({ teamId: team.id, type: 'call.started' as const, subject, data: {} })),
        ),
      );
    const replay = () => ask(`/${id}/replay`, { since: '2020-01-01T00:00:00Z', until: '2050-01-01T00:00:00Z' });
    return { happen, replay };
  };

  test('and fails both times holds up nobody', async () => {
    const waiting: (() => void)[] = [];
    // Both fail in the same moment, so both results are stored together.
    bad.respond = (_, response) => {
      waiting.push(() => response.writeHead(500).end());
      if (waiting.length === 2) for (const respond of waiting.splice(0)) respond();
    };
    const failing = await newTeam('failing', bad.url);
    const other = await newTeam('other', good.url);
    await failing.happen('a');
    await house.app.events.findLogEnd(null);
    assert.equal((await failing.replay()).json().replaying, true);
    house.app.events.sending.start();
    await waitUntil('both requests', () => bad.received.length === 2);
    await other.happen('b');
    await waitUntil('the event of the other team', () => good.received.length === 1);
    await waitUntil('its result', async () => {
      const [row] = await house.app.database.all<{ n: number }>(
        'select count(*) as n from event_attempts where status = 204',
      );
      return Number(row?.n) === 1;
    });
  });
});
