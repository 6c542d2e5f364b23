import type { EventType } from '../../events/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { isUntaken } from '../calls/call.ts';
import { toCallEvent } from '../calls/call-event.ts';
import { type ListedCall, listCallsById } from '../calls/call-store.ts';
import {
  listEarlierAttempts,
  listMarkedTogether,
  markCallsReturned,
  unmarkCallsReturned,
} from '../calls/return-mark-store.ts';
import { toCaller } from '../calls/waiting-caller.ts';
import { refreshWaiting } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../context.ts';
import { callNotMissed, callUnknown, markTooOld } from '../errors.ts';

/** How many calls can be marked in one request. */
export const MOST_MARKED = 100;
/** How long a mark can be taken back. After that, reports rely on it. */
export const DAYS_TO_TAKE_BACK = 7;
/** How many calls of one caller are marked in one transaction, and how many such transactions there are at most. */
const PIECE = 20;
const MOST_PIECES = 50;

const DAY_MS = 86_400_000;

type Marker = { teamId: string; userId: string };
type Wish = {
  ids: readonly string[];
  /** Whether to include earlier unanswered calls of the same callers, because one call back returns them all. */
  allAttempts: boolean;
};

type Change = { teamId: string; actor: AuditActor; event: EventType & `call.${string}` };

/** Whether a mark can still be taken back. */
export const isRecentMark = (markedAt: number, now: number): boolean => now - markedAt < DAYS_TO_TAKE_BACK * DAY_MS;

/** Marks unanswered calls as returned by other means, and removes such marks. */
export const createReturnMarks = (context: TelephonyContext) => {
  const { database, clock, record } = context;

  const findAll = async (teamId: string, ids: readonly string[]): Promise<ListedCall[]> => {
    const wanted = new Set(ids);
    const calls = await listCallsById(database, teamId, [...wanted]);
    if (calls.length < wanted.size) throw callUnknown();
    return calls;
  };

  /** Updates waiting callers, and records audit entries and events, in the transaction that changes marks. */
  const tell = async (tx: Transaction, { teamId, actor, event }: Change, ids: readonly string[]): Promise<void> => {
    const calls = await listCallsById(tx, teamId, ids);
    await refreshWaiting(tx, calls.map(toCaller));
    for (const call of calls) {
      await recordAudit(context, tx, teamId, actor, { action: event, target: call.id });
      await record(tx, await toCallEvent(context, tx, event, call));
    }
  };

  /** Changes a call, and then more calls of its caller, piece by piece. */
  const change = async (
    change: Change,
    id: string,
    {
      set,
      listMore,
    }: { set(tx: Transaction, ids: readonly string[]): Promise<string[]>; listMore(): Promise<string[]> },
  ): Promise<void> => {
    let ids = [id];
    for (let piece = 0; ids.length > 0 && piece < MOST_PIECES; piece++) {
      await database.transaction(async (tx) => {
        const changed = await set(tx, ids);
        if (changed.length > 0) await tell(tx, change, changed);
      });
      ids = await listMore();
    }
  };

  return {
    /** Marks calls as returned. A call that is already marked keeps its mark. Returns the calls after the change. */
    async mark({ teamId, userId }: Marker, actor: AuditActor, { ids, allAttempts }: Wish): Promise<ListedCall[]> {
      const calls = await findAll(teamId, ids);
      if (!calls.every(isUntaken)) throw callNotMissed();
      const mark = { by: userId, now: clock.now() };
      for (const call of calls)
        await change({ teamId, actor, event: 'call.returned' }, call.id, {
          set: (tx, marked) => markCallsReturned(tx, { teamId, ids: marked }, mark),
          listMore: async () => (allAttempts ? listEarlierAttempts(database, call, PIECE) : []),
        });
      return listCallsById(database, teamId, ids);
    },
    /**
     * Takes the marks of these calls back. With `allAttempts`, also the marks of calls that were marked together with
     * one of them. A call that isn't marked stays as it is.
     */
    async unmark({ teamId }: Marker, actor: AuditActor, { ids, allAttempts }: Wish): Promise<ListedCall[]> {
      const calls = await findAll(teamId, ids);
      const now = clock.now();
      if (!calls.every(({ markedReturnedAt }) => markedReturnedAt === null || isRecentMark(markedReturnedAt, now)))
        throw markTooOld(DAYS_TO_TAKE_BACK);
      for (const call of calls)
        await change({ teamId, actor, event: 'call.reopened' }, call.id, {
          set: (tx, marked) => unmarkCallsReturned(tx, { teamId, ids: marked }),
          listMore: async () =>
            allAttempts && call.markedReturnedAt !== null ? listMarkedTogether(database, call, PIECE) : [],
        });
      return listCallsById(database, teamId, ids);
    },
  };
};
