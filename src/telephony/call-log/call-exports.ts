import { Readable } from 'node:stream';
import { currentWork, type Queries, type Work, workFor } from '../../platform/index.ts';
import { callerRemoved, createOpenStreams, isStillIn, type Visitor } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { CallFilter } from '../calls/call-filter.ts';
import { listCalls } from '../calls/call-list-store.ts';
import { openParties } from '../calls/call-parties.ts';
import type { ListedCall } from '../calls/call-store.ts';
import { summarizeCall } from '../calls/call-summary.ts';
import { toCallView } from '../calls/call-view.ts';
import type { TelephonyContext } from '../context.ts';
import type { Party } from '../contract/party.ts';
import { tooManyExports } from '../errors.ts';
import { type CsvColumns, csvHead, toCsv } from './call-csv.ts';
import { type CallQuery, toCallFilter } from './call-query.ts';
import { findLabeled } from './labeled-numbers.ts';
import { createMatcher } from './search-calls.ts';

export const CSV_MOST = 100_000;
/** Calls per page. Files are made page by page to save memory, and other work runs between pages. */
const PAGE = 50;
/** How many exports may run at once. A file of a hundred thousand calls is a lot of work. */
const AT_ONCE = { perUser: 2, perTeam: 5 };

const openCall = async (vault: Vault, row: ListedCall) => {
  const parties = await openParties(vault, row);
  const other = row.direction === 'inbound' ? parties.from : parties.to;
  const summary = summarizeCall(row, parties);
  return { line: { ...toCallView(summary), numberLabel: summary.numberLabel }, other };
};

/** Returns a function that matches the same calls as a search on the pages. */
const createCheck = async (queries: Queries, teamId: string, search: string) => {
  const [isNamed, isLabeled] = [createMatcher(search), await findLabeled(queries, teamId, search)];
  return ({ accountId, direction, fromHash, toHash }: ListedCall, other: Party | null): boolean =>
    isNamed(other) || isLabeled({ accountId, ownHash: direction === 'inbound' ? toHash : fromHash });
};

type Wish = { filter: CallFilter; search: string | undefined; most: number; columns: CsvColumns; work: Work };

const writeLines = async function* (
  { database, vault, clock }: TelephonyContext,
  visitor: Visitor,
  { filter, search, most, columns, work }: Wish,
): AsyncGenerator<string> {
  const readRows = async (page: CallFilter, limit: number) => {
    // With a slow connection, a person may be removed from the team during the download. The file then breaks off, so
    // that it isn't mistaken for a complete one.
    if (!(await isStillIn(database, visitor, clock.now()))) throw callerRemoved();
    return listCalls(database, visitor.teamId, page, limit);
  };
  const isWanted = search === undefined ? () => true : await createCheck(database, visitor.teamId, search);
  yield csvHead(columns);
  let left = most;
  for (let page = filter; left > 0; ) {
    const limit = Math.min(PAGE, left);
    // The HTTP response pulls each page outside the request's context, so the owner of the work is set again here.
    const rows = await workFor(work, () => readRows(page, limit));
    const calls = await Promise.all(rows.map(async (row) => ({ row, ...(await openCall(vault, row)) })));
    yield toCsv(
      calls.filter(({ row, other }) => isWanted(row, other)).map(({ line }) => line),
      columns,
    );
    left -= rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    page = { ...page, after: last };
  }
};

type Options = { most?: number | undefined; columns?: CsvColumns };

/** Exports calls as a file, newest first. An invalid query is refused before the file starts. */
export const createCallExports = (context: TelephonyContext) => {
  const streams = createOpenStreams(AT_ONCE, tooManyExports);
  return async (
    visitor: Visitor,
    query: CallQuery,
    { most = CSV_MOST, columns = 'fields' }: Options = {},
  ): Promise<Readable> => {
    const filter = await toCallFilter(context.vault, visitor.teamId, query);
    const work = currentWork();
    return streams.add(visitor, () =>
      Readable.from(writeLines(context, visitor, { filter, search: query.search, most, columns, work })),
    );
  };
};
