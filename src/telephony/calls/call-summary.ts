import type { Queries } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Party } from '../contract/party.ts';
import { type CallPerson, findPersons } from '../people/person.ts';
import { isUntaken } from './call.ts';
import { openParties, type Parties } from './call-parties.ts';
import type { ListedCall } from './call-store.ts';

/** When an unanswered call was first returned, in any way. */
const returnedAtOf = (row: ListedCall): number | null => {
  if (!isUntaken(row)) return null;
  const instants = [row.markedReturnedAt, row.calledBackAt, row.calledAgainAt].filter((at) => at !== null);
  return instants.length > 0 ? Math.min(...instants) : null;
};

/** Returns a party's number as text, or null if it's private or not reported. */
export const partyText = (party: Party | null): string | null => (party && party.value !== '' ? party.value : null);

/** Makes the summary of a call that its team sees. */
export const summarizeCall = (row: ListedCall, { from, to }: Parties, person: CallPerson | null) => {
  const { id, provider, externalId, direction, status, outcome, numberLabel } = row;
  const { startedAt, answeredAt, endedAt, talkSeconds } = row;
  const returnedAt = returnedAtOf(row);
  return {
    ...{ id, provider, externalId, direction, status, outcome, numberLabel },
    ...{ startedAt, answeredAt, endedAt, talkSeconds },
    from: partyText(from),
    fromName: from?.name ?? null,
    to: partyText(to),
    /** Who the call was with, by a CRM. */
    person,
    isUntaken: isUntaken(row),
    returnedAt,
    /** Whether the caller needs a call back. */
    isWaiting: isUntaken(row) && returnedAt === null && row.counts === 1,
    /** When someone marked the call as returned. */
    markedReturnedAt: row.markedReturnedAt,
    hasRecording: row.recordedAt !== null,
    isSimulated: row.simulated === 1,
  };
};

export type CallSummary = ReturnType<typeof summarizeCall>;

/** Makes the summaries of some calls. */
export const toCallSummaries = async (
  context: { database: Queries; vault: Vault },
  rows: readonly ListedCall[],
): Promise<CallSummary[]> => {
  const personOf = await findPersons(context, rows);
  return Promise.all(rows.map(async (row) => summarizeCall(row, await openParties(context.vault, row), personOf(row))));
};

/** Returns when anything shown about a call last changed, as far as the clocks involved agree. */
export const touchedAtOf = (row: ListedCall): number =>
  Math.max(
    row.updatedAt,
    row.markedReturnedAt ?? 0,
    row.recordedAt ?? 0,
    row.transcribedAt ?? 0,
    isUntaken(row) ? (row.calledBackAt ?? 0) : 0,
    isUntaken(row) ? (row.calledAgainAt ?? 0) : 0,
    row.namedAt ?? 0,
  );
