import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../test/harness/app.ts';
import { onEachEngine, onOneEngine } from '../../../test/harness/databases.ts';
import { startEventReceiver } from '../../../test/harness/event-receiver.ts';
import { skipAhead } from '../../../test/harness/skip-ahead.ts';
import { startCalls } from '../../../test/harness/start-calls.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { type Engine, setPaused } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import { HOLD_MS } from './holding-store.ts';

/** An endpoint that gets nothing for this long is released. */
const IDLE_MS = 10_000;
/** How long a process remembers whether the service is paused. */
const PAUSE_KNOWN_MS = 1_000;
/** How many endpoints are taken in one step, and how many events of the log are looked at. */
const [PIECE, STRETCH] = [200, 500];

const useHouse = (engine: Engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const createEndpoint = async () => {
    const { team } = await house.createTeam(`held-${++made}`);
    const url = new URL(`/held/${made}`, receiver.url).href;
    const owner = { teamId: team.id, forOperator: false };
    const input = { url, types: ['*'], description: '' };
    const { endpoint } = await house.app.events.endpoints.create(owner, COMMAND_LINE, input);
    return {
      teamId: team.id,
      id: endpoint.id,
      happen: (...subjects: string[]) => startCalls(house.app, team.id, subjects),
      received: () =>
        receiver.received.filter(({ path }) => url.endsWith(path)).map(({ event }) => event.data['subject']),
      readHold: () =>
        house.app.database.get<{ holder: string | null; until: number }>(
          'select holder, held_until as until from event_endpoints where id = $1',
          [endpoint.id],
        ),
    };
  };

  const holdResponses = () => {
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    const acceptAll = (): void => {
      receiver.respond = receiver.accept;
      for (const response of held) response.writeHead(204).end();
    };
    return { held, acceptAll };
  };

  const sendAll = () => house.app.events.sending.sendAll();
  return { house, clock, createEndpoint, holdResponses, sendAll };
};

onEachEngine('endpoints that a process holds', (engine) => {
  const { house, clock, createEndpoint, holdResponses, sendAll } = useHouse(engine);

  test('are taken over from one that has ended: at once if there can’t be another, and else when its time is over', async () => {
    const { id, happen, received } = await createEndpoint();
    await house.app.database.run("update event_endpoints set holder = 'ended', held_until = $2 where id = $1", [
      ...[id, clock.now() + HOLD_MS],
    ]);
    await happen('waiting');
    await sendAll();
    assert.deepEqual(received(), engine === 'sqlite' ? ['waiting'] : []);
    clock.advance(HOLD_MS);
    await sendAll();
    assert.deepEqual(received(), ['waiting']);
  });

  test('stay with it, because it says so in time', async () => {
    const { happen, readHold } = await createEndpoint();
    await happen('sent');
    await sendAll();
    const before = await readHold();
    assert.equal(before?.until, clock.now() + HOLD_MS);
    clock.advance(HOLD_MS / 2);
    skipAhead(HOLD_MS / 3);
    await sendAll();
    assert.deepEqual({ ...(await readHold()) }, { holder: before?.holder, until: clock.now() + HOLD_MS });
  });

  test('are left to others when nothing was sent to them for a while, but not while it waits for a response', async () => {
    const [idle, waiting] = [await createEndpoint(), await createEndpoint()];
    await idle.happen('sent');
    await sendAll();
    const { held, acceptAll } = holdResponses();
    await waiting.happen('unanswered');
    const sending = [sendAll()];
    await waitUntil('the request', () => held.length === 1);
    skipAhead(IDLE_MS);
    sending.push(sendAll());
    await waitUntil('one is left to others', async () => (await idle.readHold())?.holder === null);
    assert.notEqual((await waiting.readHold())?.holder, null);
    acceptAll();
    await Promise.all(sending);
    assert.deepEqual(waiting.received(), ['unanswered']);
  });
});

onOneEngine('endpoints that have something to be told', (engine) => {
  const { house, createEndpoint, holdResponses, sendAll } = useHouse(engine);

  /** Copies an endpoint. The copies' secrets can't be opened, so a process that takes one can't send to it. */
  const copyEndpoint = async ({ id }: { id: string }, count: number, position: string): Promise<void> => {
    const columns = 'team_id, for_operator, url, types, description, secret, created_at, changed_at';
    await house.app.database.transaction(async (tx) => {
      for (let index = 0; index < count; index++)
        await tx.run(
          `insert into event_endpoints (id, position, ${columns})
            select $2, ${position}, ${columns} from event_endpoints where id = $1`,
          [id, `${id}-${index}`],
        );
    });
  };

  const countHeld = async ({ teamId }: { teamId: string }): Promise<number> => {
    const held = 'select id from event_endpoints where team_id = $1 and holder is not null';
    return (await house.app.database.all(held, [teamId])).length;
  };

  // The next sweep through all endpoints is half a minute away, so the other tests don't depend on it.
  test('are all found when a process looks through them, however many were left behind', async () => {
    const endpoint = await createEndpoint();
    await endpoint.happen('before');
    await sendAll();
    await copyEndpoint(endpoint, PIECE + 50, '0');
    await sendAll();
    assert.equal(await countHeld(endpoint), PIECE + 51);
  });

  test('are all told at once, however many want the same event', async () => {
    const endpoint = await createEndpoint();
    await copyEndpoint(endpoint, 2 * PIECE, 'position');
    house.app.events.sending.start();
    await endpoint.happen('for all');
    await waitUntil('all are told', async () => (await countHeld(endpoint)) === 2 * PIECE + 1);
  });

  test('are told at once, however much happened elsewhere just before', async () => {
    const [busy, quiet] = [await house.createTeam('busy'), await createEndpoint()];
    house.app.events.sending.start();
    const of = (teamId: string) => ({
      teamId,
      type: 'call.started' as const,
      subject: 'last',
      data: { subject: 'last' },
    });
    await house.app.database.transaction((tx) =>
      house.app.events.record(tx, ...Array.from({ length: STRETCH + 100 }, () => of(busy.team.id)), of(quiet.teamId)),
    );
    await waitUntil('it is told', () => quiet.received().length === 1);
  });

  test('are told the rest right after a pause that came in between', async (context) => {
    const { database, pause, clock } = house.app;
    const { happen, received } = await createEndpoint();
    house.app.events.sending.start();
    const { held, acceptAll } = holdResponses();
    // Events are sent one after the other until the first success.
    await happen('before', 'after');
    await waitUntil('the first request', () => held.length === 1);
    await setPaused(database, { at: clock.now(), reason: 'A test.' });
    skipAhead(PAUSE_KNOWN_MS);
    acceptAll();
    const looks = context.mock.method(pause, 'read').mock;
    await waitUntil('others ask whether it is paused', () => looks.callCount() >= 5);
    assert.deepEqual(received(), ['before']);
    await setPaused(database, null);
    skipAhead(PAUSE_KNOWN_MS);
    await waitUntil('the rest', () => received().length === 2);
  });
});
