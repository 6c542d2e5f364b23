import { isUntaken } from './call.ts';
import type { CallRow } from './call-store.ts';

/** A person who may need a call back. `caller` is their number's hash, or the call's id if the number is private. */
export type WaitingCaller = { teamId: string; caller: string };

type Ends = Pick<CallRow, 'id' | 'teamId' | 'direction' | 'outcome' | 'fromHash' | 'toHash'>;

export const toCaller = ({ teamId, id, fromHash }: Pick<Ends, 'teamId' | 'id' | 'fromHash'>): WaitingCaller => ({
  teamId,
  caller: fromHash ?? id,
});

/** Returns the caller who may start or stop waiting because of this call. */
const whomItConcerns = (call: Ends | null): WaitingCaller | null => {
  if (!call) return null;
  const { teamId, direction, outcome, fromHash, toHash } = call;
  if (isUntaken(call)) return toCaller(call);
  const caller = direction === 'outbound' ? toHash : outcome === 'answered' ? fromHash : null;
  return caller === null ? null : { teamId, caller };
};

/** Lists the callers who may start or stop waiting because this call has changed. */
export const listConcerned = (before: CallRow | null, call: CallRow): WaitingCaller[] => {
  const [then, now] = [whomItConcerns(before), whomItConcerns(call)];
  const isSame =
    then?.caller === now?.caller && before?.startedAt === call.startedAt && before?.outcome === call.outcome;
  return isSame ? [] : [then, now].filter((caller) => caller !== null);
};
