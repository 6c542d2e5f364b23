import type { Vault } from '../../vault/index.ts';
import { isUntaken } from './call.ts';
import { partyText, returnedAtOf } from './call-answer.ts';
import { openParties } from './call-parties.ts';
import type { ListedCall } from './call-store.ts';

/** A call as shown to its team. */
export const toCallSummary = async (vault: Vault, row: ListedCall) => {
  const { id, provider, externalId, direction, status, outcome, numberLabel } = row;
  const { startedAt, answeredAt, endedAt, talkSeconds } = row;
  const { from, to } = await openParties(vault, row);
  return {
    ...{ id, provider, externalId, direction, status, outcome, numberLabel },
    ...{ startedAt, answeredAt, endedAt, talkSeconds },
    /** Null if private or not reported. */
    from: partyText(from),
    to: partyText(to),
    isUntaken: isUntaken(row),
    returnedAt: returnedAtOf(row),
    hasRecording: row.recordedAt !== null,
  };
};

export type CallSummary = Awaited<ReturnType<typeof toCallSummary>>;

/** When anything shown last changed, as far as the clocks involved agree. */
export const touchedAtOf = (row: ListedCall): number =>
  Math.max(
    row.updatedAt,
    row.markedReturnedAt ?? 0,
    row.recordedAt ?? 0,
    isUntaken(row) ? (row.calledBackAt ?? 0) : 0,
    isUntaken(row) ? (row.calledAgainAt ?? 0) : 0,
  );
