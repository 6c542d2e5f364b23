import { eraseAbout } from '../../events/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { giveBackRecordingBytes } from '../budget/recording-bytes-store.ts';
import { type CallRow, deleteCall, deleteFacts } from '../calls/call-store.ts';
import type { WaitingCaller } from '../calls/waiting-caller.ts';
import { refreshWaiting } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../context.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { deleteLogsOfCalls } from '../people/log-store.ts';
import { deleteLonelyPersons, type PersonRow } from '../people/person-store.ts';
import { erasePayloadsOfCall } from '../processing/delivery-store.ts';
import { erasedRecordingKey } from '../processing/erased-call-store.ts';
import {
  deleteRecordings,
  listRecordingsOfCall,
  markBeingErased,
  type RecordingRow,
} from '../recordings/recording-store.ts';
import { refuseCalls } from './refuse-calls.ts';

/** How many calls are erased in one transaction. */
export const ERASED_AT_ONCE = 50;
/** How many recordings of one call are listed at once. */
const RECORDINGS_PAGE = 100;

export type ErasableCall = Pick<CallRow, 'id' | 'accountId' | 'externalId'>;
type Erasable = ErasableCall & { recordings: readonly RecordingRow[] };
type Counts = { calls: number; recordings: number };

/** Whether all recordings of a call are listed. Otherwise, the call stays for the next round. */
const isWhole = ({ recordings }: Erasable): boolean => recordings.length < RECORDINGS_PAGE;

const countPage = (page: readonly Erasable[]): Counts => ({
  calls: page.filter(isWhole).length,
  recordings: page.reduce((sum, { recordings }) => sum + recordings.length, 0),
});

const byHash = (one: { partyHash: string }, other: { partyHash: string }): number =>
  one.partyHash < other.partyHash ? -1 : 1;

/**
 * Erases a page of calls: their recordings, the deliveries about them, and the content of their events. Later
 * deliveries about them are refused. The audio is removed before its row, because without the row, a second run after
 * an interruption couldn't find the audio. `note` runs in the same transaction.
 */
export const eraseCalls = async (
  context: TelephonyContext,
  teamId: string,
  calls: readonly ErasableCall[],
  note: (tx: Transaction, counts: Counts) => Promise<void>,
): Promise<Counts> => {
  const { database, storage } = context;
  const keys = calls.map(({ accountId, externalId }) => ({ accountId, callKey: externalId }));
  await refuseCalls(context, teamId, keys);
  const page: Erasable[] = [];
  for (const call of calls) page.push({ ...call, recordings: await listRecordingsOfCall(database, teamId, call) });
  await refuseCalls(
    context,
    teamId,
    page.flatMap(({ recordings }) =>
      recordings.map(({ accountId, externalId }) => ({ accountId, callKey: erasedRecordingKey(externalId) })),
    ),
  );
  for (const { recordings } of page) {
    if (recordings.length > 0) await markBeingErased(database, recordings);
    for (const recording of recordings) await storage.remove(recordingKey(recording));
  }
  // Erases most payloads before the transaction, because a call can have any number of deliveries, and other writers
  // wait for a transaction to end.
  for (const call of page) {
    await erasePayloadsOfCall(database, teamId, call.accountId, call.externalId);
    if (isWhole(call)) await deleteFacts(database, teamId, call.id);
  }
  const counts = countPage(page);
  await database.transaction(async (tx) => {
    const recordings = page.flatMap((call) => call.recordings);
    const callers: WaitingCaller[] = [];
    const numbers: Pick<PersonRow, 'teamId' | 'partyHash'>[] = [];
    const bytes = recordings.length > 0 ? await deleteRecordings(tx, recordings) : 0;
    for (const call of page) {
      await erasePayloadsOfCall(tx, teamId, call.accountId, call.externalId);
      const { fromHash = null, toHash = null } = (isWhole(call) && (await deleteCall(tx, teamId, call.id))) || {};
      if (fromHash !== null) callers.push({ teamId, caller: fromHash });
      for (const partyHash of [fromHash, toHash]) if (partyHash !== null) numbers.push({ teamId, partyHash });
    }
    await deleteLogsOfCalls(
      tx,
      teamId,
      page.filter(isWhole).map(({ id }) => id),
    );
    // In the same order in every transaction, to avoid deadlocks.
    await deleteLonelyPersons(tx, numbers.toSorted(byHash));
    // A caller may still be waiting for a callback because of another call.
    await refreshWaiting(tx, callers);
    if (bytes > 0) await giveBackRecordingBytes(tx, teamId, bytes);
    // Events about these calls are erased last. By now the calls' rows are locked, so no other transaction can record
    // another event about them.
    await eraseAbout(
      tx,
      teamId,
      [...page, ...recordings].map(({ id }) => id),
    );
    await note(tx, counts);
  });
  return counts;
};
