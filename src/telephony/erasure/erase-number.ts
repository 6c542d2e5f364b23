import { eraseEventsAbout } from '../../events/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { hasNumber } from '../accounts/number-store.ts';
import { giveBackRecordingBytes } from '../budget/recording-bytes-store.ts';
import { hashParty } from '../calls/call-parties.ts';
import { type CallRow, deleteCall, deleteCallEvents, listCallsWith } from '../calls/call-store.ts';
import type { Caller } from '../calls/waiting-caller.ts';
import { refreshWaiting } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { toParty } from '../contract/party.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { numberInvalid } from '../errors.ts';
import { erasePayloadsOfCall } from '../processing/delivery-store.ts';
import {
  deleteRecordings,
  listRecordingsOfCall,
  markBeingErased,
  type RecordingRow,
} from '../recordings/recording-store.ts';
import { eraseHeld } from './erase-held.ts';
import { eraseWaiting, eraseWithoutCall } from './erase-loose.ts';
import { refuseCalls } from './refuse-calls.ts';

export type Erased = { calls: number; recordings: number; held: number };

const PAGE = 50;
/** How many of one call are listed at once. */
const RECORDINGS_PAGE = 100;

type ErasableCall = Pick<CallRow, 'id' | 'accountId' | 'externalId'>;
type Erasable = ErasableCall & { recordings: readonly RecordingRow[] };

/** A call with more than one page of recordings stays for the next round. */
const isWhole = ({ recordings }: Erasable): boolean => recordings.length < RECORDINGS_PAGE;

const countPage = (page: readonly Erasable[]): Omit<Erased, 'held'> => ({
  calls: page.filter(isWhole).length,
  recordings: page.reduce((sum, { recordings }) => sum + recordings.length, 0),
});

/**
 * Erases everything about a number on either end of a call: the calls, their recordings, the deliveries about them, what
 * their events say, and deliveries without a call that mention it. What is reported about these calls later is refused. The audio goes before the rows, so if this is interrupted, a second run finds the rest.
 */
export const eraseNumber = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  number: string,
): Promise<Erased> => {
  const { database, vault, storage } = context;
  const party = toParty(number);
  // Without its plus, a national number would pass for somebody else's international one.
  const isGuess = party.kind === 'number' && party.value.startsWith('+') && !number.trim().startsWith('+');
  const hash = isGuess ? null : await hashParty(vault, teamId, party);
  if (hash === null) throw numberInvalid('must be written as a call lists it: with a country code, like +15551230001');
  const numberHash = await vault.hash(teamId, `number ${party.value}`);
  if (await hasNumber(database, teamId, numberHash))
    throw numberInvalid("is one of the team's own numbers, so all its calls would be erased. Remove the number first.");
  const erased: Erased = { calls: 0, recordings: 0, held: 0 };

  const listPage = () => listCallsWith(database, teamId, hash, PAGE);

  const erasePage = async (calls: readonly ErasableCall[], held: number): Promise<void> => {
    const keys = calls.map(({ accountId, externalId }) => ({ accountId, callKey: externalId }));
    await refuseCalls(context, teamId, keys);
    const page: Erasable[] = [];
    for (const call of calls) page.push({ ...call, recordings: await listRecordingsOfCall(database, teamId, call) });
    for (const { recordings } of page) {
      if (recordings.length > 0) await markBeingErased(database, recordings);
      for (const recording of recordings) await storage.remove(recordingKey(recording));
    }
    // Mostly before the transaction: a call can have any number of deliveries, and others wait for a transaction.
    for (const call of page) {
      await erasePayloadsOfCall(database, teamId, call.accountId, call.externalId);
      if (isWhole(call)) await deleteCallEvents(database, teamId, call.id);
    }
    const counts = { ...countPage(page), held };
    await database.transaction(async (tx) => {
      const recordings = page.flatMap((call) => call.recordings);
      const callers: Caller[] = [];
      const bytes = recordings.length > 0 ? await deleteRecordings(tx, recordings) : 0;
      for (const call of page) {
        await erasePayloadsOfCall(tx, teamId, call.accountId, call.externalId);
        const caller = isWhole(call) ? await deleteCall(tx, teamId, call.id) : null;
        if (caller !== null) callers.push({ teamId, caller });
      }
      // Someone who called this number may still wait because of a call to another one.
      await refreshWaiting(tx, callers);
      if (bytes > 0) await giveBackRecordingBytes(tx, teamId, bytes);
      // After the rows, whose locks wait for whoever is just recording something about them.
      await eraseEventsAbout(
        tx,
        teamId,
        [...page, ...recordings].map(({ id }) => id),
      );
      const detail = { endsIn: number.replace(/\D/g, '').slice(-2), ...counts };
      await recordAudit(context, tx, teamId, actor, { action: 'telephony.number.erase', detail });
    });
    erased.calls += counts.calls;
    erased.recordings += counts.recordings;
    erased.held += held;
  };

  // Before the calls, so that none of these becomes one meanwhile.
  await eraseWaiting(context, teamId, party);
  await eraseWithoutCall(context, teamId, party);
  // Even if there was nothing: the request itself is worth an entry.
  await erasePage(await listPage(), await eraseHeld(context, teamId, party));
  for (let page = await listPage(); page.length > 0; page = await listPage()) await erasePage(page, 0);
  return erased;
};
