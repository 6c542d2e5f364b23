import { type Clock, type NewId, Secret, type Transaction } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { type NewEvent, printData } from './event.ts';
import { insertEvents, type NewEventRow } from './event-store.ts';

type RecorderContext = {
  clock: Clock;
  newId: NewId;
  vault: Pick<Vault, 'seal'>;
  /** Called after events are committed. */
  onRecorded(): void;
};

export const dataPlaceOf = (id: string) => ({ record: id, field: 'event' });

/**
 * Records events in the transaction that makes the change, so that either both are stored or neither. Events are sent
 * after that transaction has committed.
 */
export const createRecorder = ({ clock, newId, vault, onRecorded }: RecorderContext) => {
  let lastStamp = 0;

  /** Returns higher and higher stamps, even if the clock is set back. */
  const nextStamp = (now: number): number => {
    lastStamp = Math.max(lastStamp + 1, now * 1_000);
    return lastStamp;
  };

  const toRow = async (tx: Transaction, { teamId, type, subject, data }: NewEvent): Promise<NewEventRow> => {
    const id = newId();
    const now = clock.now();
    const sealed = await vault.seal(teamId, dataPlaceOf(id), new Secret(printData(data)), tx);
    return { id, teamId, teamKey: null, type, subject, data: sealed, stamp: nextStamp(now), createdAt: now };
  };

  return {
    /** Records events. Returns the IDs of their rows. */
    async record(tx: Transaction, ...events: readonly NewEvent[]): Promise<string[]> {
      if (events.length === 0) return [];
      const rows: NewEventRow[] = [];
      for (const event of events) rows.push(await toRow(tx, event));
      await insertEvents(tx, rows);
      tx.afterCommit(onRecorded);
      return rows.map(({ id }) => id);
    },
    /** Records that a team was erased. The event has no data, because the team's encryption key is gone. */
    async recordErasure(tx: Transaction, teamId: string, teamKey: string | null): Promise<void> {
      const now = clock.now();
      const event = { id: newId(), teamId, teamKey, type: 'team.erased' as const, subject: teamId, data: null };
      await insertEvents(tx, [{ ...event, stamp: nextStamp(now), createdAt: now }]);
      tx.afterCommit(onRecorded);
    },
  };
};

export type Recorder = ReturnType<typeof createRecorder>;
