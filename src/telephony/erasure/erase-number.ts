import { type AuditActor, lockAdmin, recordAudit } from '../../teams/index.ts';
import { hasNumber } from '../accounts/number-store.ts';
import { hashParty } from '../calls/call-parties.ts';
import { listCallsWith } from '../calls/call-store.ts';
import type { TelephonyContext } from '../context.ts';
import { toParty } from '../contract/party.ts';
import { numberInvalid } from '../errors.ts';
import { deleteLonelyPersons } from '../people/person-store.ts';
import { ERASED_AT_ONCE, type ErasableCall, eraseCalls } from './erase-calls.ts';
import { eraseHeld } from './erase-held.ts';
import { eraseWaiting, eraseWithoutCall } from './erase-loose.ts';

type Erased = { calls: number; recordings: number; held: number };

/**
 * Erases everything about a number on either end of a call: the calls, their recordings, the deliveries about them, the
 * content of their events, and deliveries without a call that mention the number. Later deliveries about these calls
 * are refused. After an interruption, a second run finds and erases the rest.
 */
export const eraseNumber = async (
  context: TelephonyContext,
  teamId: string,
  actor: AuditActor,
  number: string,
): Promise<Erased> => {
  const { database, vault } = context;
  const party = toParty(number);
  // A number without a plus may be a national one, which could be mistaken for another person's international number.
  const isGuess = party.kind === 'number' && party.value.startsWith('+') && !number.trim().startsWith('+');
  const hash = isGuess ? null : await hashParty(vault, teamId, party);
  if (hash === null) throw numberInvalid('must be written as a call lists it: with a country code, like +15551230001');
  const numberHash = await vault.hash(teamId, `number ${party.value}`);
  if (await hasNumber(database, teamId, numberHash))
    throw numberInvalid("is one of the team's own numbers, so all its calls would be erased. Remove the number first.");
  // In other processes, a former admin stays cached for up to a second, and nothing brings back what is erased.
  await database.transaction((tx) => lockAdmin(tx, teamId, actor));
  const erased: Erased = { calls: 0, recordings: 0, held: 0 };

  const listPage = () => listCallsWith(database, teamId, hash, ERASED_AT_ONCE);

  const erasePage = async (calls: readonly ErasableCall[], held: number): Promise<void> => {
    const counts = await eraseCalls(context, teamId, calls, async (tx, counted) => {
      const detail = { endsIn: number.replace(/\D/g, '').slice(-2), ...counted, held };
      // Also what was about to be looked up of a number whose calls are gone.
      await deleteLonelyPersons(tx, [{ teamId, partyHash: hash }]);
      await recordAudit(context, tx, teamId, actor, { action: 'telephony.number.erase', detail });
    });
    erased.calls += counts.calls;
    erased.recordings += counts.recordings;
    erased.held += held;
  };

  // Unprocessed deliveries go first, so that none of them becomes a call after the calls are listed below.
  await eraseWaiting(context, teamId, party);
  await eraseWithoutCall(context, teamId, party);
  // The first page is erased even if it's empty, because the request itself belongs in the audit log.
  await erasePage(await listPage(), await eraseHeld(context, teamId, party));
  for (let page = await listPage(); page.length > 0; page = await listPage()) await erasePage(page, 0);
  return erased;
};
