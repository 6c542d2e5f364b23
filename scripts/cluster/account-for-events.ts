import type { Database } from '../../src/platform/index.ts';
import type { EventReceiver } from '../../test/harness/event-receiver.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';

const LONGEST_MS = 60_000;

/** Compares every event of the team with what its receiver got. Delivery is at least once. */
export const accountForEvents = async (database: Database, teamId: string, receiver: EventReceiver) => {
  const list = async (): Promise<string[]> =>
    (await database.all<{ id: string }>('select id from events where team_id = $1', [teamId])).map(
      ({ id }) => `evt_${id}`,
    );
  const arrived = (): Set<string> => new Set(receiver.received.map(({ event }) => event.id));
  const missing = async (): Promise<string[]> => {
    const ids = arrived();
    return (await list()).filter((id) => !ids.has(id));
  };
  await waitUntil('every event has arrived', async () => (await missing()).length === 0, LONGEST_MS).catch(
    () => undefined,
  );
  return {
    recorded: (await list()).length,
    received: arrived().size,
    lost: (await missing()).length,
    again: receiver.received.length - arrived().size,
  };
};
