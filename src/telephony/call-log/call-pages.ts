import type { CallPlace } from '../calls/call-filter.ts';
import { listCalls, listSealedCalls, type SealedCall } from '../calls/call-list-store.ts';
import { type ListedCall, listCallsById } from '../calls/call-store.ts';
import { listWaitingCallers, type WaitingOrder } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../context.ts';
import { type CallQuery, printCallCursor, readCallCursor, toCallFilter } from './call-query.ts';
import { findLabeled } from './labeled-numbers.ts';
import { type Search, searchCalls } from './search-calls.ts';
import { createTranscriptSearch } from './transcript-search.ts';

export type CallPage = {
  rows: readonly ListedCall[];
  /** Null if there are no more calls. */
  nextCursor: string | null;
  /**
   * How many calls a search has checked, and back to which time (`until`: null if there are no older calls). Null if
   * nothing was searched.
   */
  searched: { calls: number; until: number | null } | null;
};

/** Query for callers who need a call back. Each is listed once. */
export type WaitingQuery = Pick<CallQuery, 'cursor' | 'search'> & { order?: WaitingOrder };

/** Cuts rows to a page, and makes the next page's cursor. If there is a next page, `found` has one row more. */
const cutPage = <Row extends CallPlace>(found: readonly Row[], limit: number) => {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last ? printCallCursor(last) : null };
};

const idsOf = (calls: readonly Pick<SealedCall, 'id'>[]): string[] => calls.map(({ id }) => id);

/** Lists calls page by page, newest first. */
export const createCallPages = (context: TelephonyContext) => {
  const { database, vault } = context;

  const search = async (
    teamId: string,
    wish: Omit<Search, 'isLabeled' | 'findHeard'>,
    hears: boolean,
  ): Promise<CallPage> => {
    const isLabeled = await findLabeled(database, teamId, wish.text);
    const findHeard = await createTranscriptSearch(context, teamId, wish.text, hears);
    const { ids, searched, last } = await searchCalls(context, { ...wish, isLabeled, findHeard });
    return {
      rows: await listCallsById(database, teamId, ids),
      nextCursor: last && printCallCursor(last),
      searched: { calls: searched, until: last?.startedAt ?? null },
    };
  };

  return {
    /** `hears`: whether a search also finds what was said in recordings. */
    async list(teamId: string, query: CallQuery, limit: number, hears = true): Promise<CallPage> {
      const { after, ...filter } = await toCallFilter(vault, teamId, query);
      const from = (place: CallPlace | undefined) => ({ ...filter, ...(place && { after: place }) });
      if (query.search !== undefined)
        return search(
          teamId,
          {
            ...{ text: query.search, limit, after },
            readPage: (place, most) => listSealedCalls(database, teamId, from(place), most),
          },
          hears,
        );
      return { ...cutPage(await listCalls(database, teamId, from(after), limit + 1), limit), searched: null };
    },
    async listWaiting(teamId: string, query: WaitingQuery, limit: number): Promise<CallPage> {
      const after = query.cursor === undefined ? undefined : readCallCursor(query.cursor);
      const read = (order: WaitingOrder) => (place: CallPlace | undefined, most: number) =>
        listWaitingCallers(database, teamId, { after: place, limit: most, order });
      // A search always goes from the newest call to the oldest, whatever `order` says.
      if (query.search !== undefined)
        return search(teamId, { text: query.search, limit, after, readPage: read('newest') }, true);
      const { order = 'newest' } = query;
      const { rows, nextCursor } = cutPage(await read(order)(after, limit + 1), limit);
      const calls = await listCallsById(database, teamId, idsOf(rows));
      return { rows: order === 'oldest' ? calls.toReversed() : calls, nextCursor, searched: null };
    },
  };
};
