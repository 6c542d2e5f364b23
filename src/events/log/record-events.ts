import { type Clock, type NewId, Secret, type Transaction } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { type NewEvent, printData } from './event.ts';
import { insertEvents, type NewEventRow } from './event-store.ts';

type RecorderContext = {
  clock: Clock;
  newId: NewId;
  vault: Pick<Vault, 'seal'>;
  /** Called once events are committed. */
  onRecorded(): void;
};

export const dataPlaceOf = (id: string) => ({ record: id, field: 'event' });

/**
 * Records what happened in the transaction that makes it happen: so there is no change without its event, and no event
 * without its change. Nobody is told before that has committed.
 */
export const createRecorder = ({ clock, newId, vault, onRecorded }: RecorderContext) => {
  let lastStamp = 0;

  /** Later ones are larger, even if the clock is set back meanwhile. */
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
    /** Returns the ids of the rows. */
    async record(tx: Transaction, ...events: readonly NewEvent[]): Promise<string[]> {
      if (events.length === 0) return [];
      const rows: NewEventRow[] = [];
      for (const event of events) rows.push(await toRow(tx, event));
      await insertEvents(tx, rows);
      tx.afterCommit(onRecorded);
      return rows.map(({ id }) => id);
    },
    /** The team's encryption key is gone by then, and there is nothing to say except that the team is, too. */
    async recordErasure(tx: Transaction, teamId: string, teamKey: string | null): Promise<void> {
      const now = clock.now();
      const event = { id: newId(), teamId, teamKey, type: 'team.erased' as const, subject: teamId, data: null };
      await insertEvents(tx, [{ ...event, stamp: nextStamp(now), createdAt: now }]);
      tx.afterCommit(onRecorded);
    },
  };
};

export type Recorder = ReturnType<typeof createRecorder>;
