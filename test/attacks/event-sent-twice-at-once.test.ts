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
    return { id, happen, replay };
  };

  /** How each attempt to send an event ended, and how often what waits to be sent again was tried. */
  const readResults = async (endpointId: string, subject: string) => {
    const { all } = house.app.database;
    const where = 'where endpoint_id = $1 and event_id in (select id from events where subject = $2)';
    const values = [endpointId, subject];
    const attempts = await all<{ status: number }>(`select status from event_attempts ${where}`, values);
    const retries = await all<{ attempts: number }>(`select attempts from event_retries ${where}`, values);
    return { statuses: attempts.map(({ status }) => status), waiting: retries.map(({ attempts }) => attempts) };
  };

  test('and fails both times waits once to be sent again, and holds up nobody', async () => {
    const failing = await newTeam('failing', bad.url);
    const other = await newTeam('other', good.url);
    // From the first success on, two are sent side by side.
    await failing.happen('a');
    await house.app.events.sending.sendAll();
    const [first] = bad.received;
    const held: (() => void)[] = [];
    // Both fail in the same moment, so both results are stored together.
    bad.respond = (received, response) => {
      if (received.event.id === first?.event.id) return bad.accept(received, response);
      held.push(() => response.writeHead(500).end());
      if (held.length === 2) for (const respond of held) respond();
    };
    await failing.happen('b');
    await house.app.events.findLogEnd(null);
    assert.equal((await failing.replay()).json().replaying, true);
    house.app.events.sending.start();
    await waitUntil('both requests', () => held.length === 2);
    await other.happen('c');
    await waitUntil('the result of the other team', async () => {
      const { statuses } = await readResults(other.id, 'c');
      return statuses.length === 1;
    });
    await waitUntil('both results', async () => (await readResults(failing.id, 'b')).statuses.length === 2);
    assert.deepEqual(await readResults(failing.id, 'b'), { statuses: [500, 500], waiting: [1] });
  });
});
