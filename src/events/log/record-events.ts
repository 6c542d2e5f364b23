import { type Clock, type NewId, Secret, type Transaction } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { type NewEvent, TEAM_ERASED, UNMATCHED } from './event.ts';
import { printData, printReceived } from './event-data.ts';
import { insertEvents, type NewEventRow } from './event-store.ts';
import { putPayload } from './payloads/payload.ts';

type RecorderContext = {
  clock: Clock;
  newId: NewId;
  vault: Pick<Vault, 'seal'>;
  /** The public base URL. */
  url: string;
  /** Called after events are committed. */
  onRecorded(): void;
};

const OURS = { provider: null, topic: null };
const NOBODYS = { provider: '', topic: '' };

export const dataPlaceOf = (id: string) => ({ record: id, field: 'event' });

/**
 * Records events in the transaction that makes the change, so that either both are stored or neither. Events are sent
 * after that transaction has committed.
 */
export const createRecorder = ({ clock, newId, vault, url, onRecorded }: RecorderContext) => {
  let lastStamp = 0;

  /** Returns higher and higher stamps, even if the clock is set back. */
  const nextStamp = (now: number): number => {
    lastStamp = Math.max(lastStamp + 1, now * 1_000);
    return lastStamp;
  };

  const print = (event: NewEvent, id: string) =>
    event.from ? printReceived(event, { id, url }) : { text: printData(event.data), apart: null };

  /** The row of an event, and its payload if that's kept apart. */
  const prepare = async (tx: Transaction, event: NewEvent): Promise<{ row: NewEventRow; apart: string | null }> => {
    const { teamId, type, subject, from } = event;
    const id = newId();
    const now = clock.now();
    const { text, apart } = print(event, id);
    const data = await vault.seal(teamId, dataPlaceOf(id), new Secret(text), tx);
    const isOperators = type === UNMATCHED || event.ofEverybody === true;
    const { provider, topic } = type === UNMATCHED ? NOBODYS : (from ?? OURS);
    const teamKey = isOperators ? '' : null;
    const stamp = nextStamp(now);
    const row = { id, teamId, teamKey, type, subject, provider, topic, data, stamp, createdAt: now };
    return { row, apart };
  };

  return {
    /** Records events. Returns the IDs of their rows. */
    async record(tx: Transaction, ...events: readonly NewEvent[]): Promise<string[]> {
      if (events.length === 0) return [];
      const prepared: Awaited<ReturnType<typeof prepare>>[] = [];
      for (const event of events) prepared.push(await prepare(tx, event));
      const rows = prepared.map(({ row }) => row);
      await insertEvents(tx, rows);
      for (const { row, apart } of prepared)
        if (apart !== null) await putPayload(vault, tx, { teamId: row.teamId, eventId: row.id }, apart);
      tx.afterCommit(onRecorded);
      return rows.map(({ id }) => id);
    },
    /** Records that a team was erased. The event has no data, because the team's encryption key is gone. */
    async recordErasure(tx: Transaction, teamId: string, teamKey: string | null): Promise<void> {
      const now = clock.now();
      const event = { id: newId(), teamId, teamKey, type: TEAM_ERASED, subject: teamId, data: null };
      await insertEvents(tx, [{ ...event, provider: null, topic: null, stamp: nextStamp(now), createdAt: now }]);
      tx.afterCommit(onRecorded);
    },
  };
};

export type Recorder = ReturnType<typeof createRecorder>;
