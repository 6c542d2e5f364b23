import type { Readable } from 'node:stream';
import type { Queries } from '../../platform/index.ts';
import { createExports, type Visitor } from '../../teams/index.ts';
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

const openCall = async (vault: Vault, row: ListedCall) => {
  const parties = await openParties(vault, row);
  const other = row.direction === 'inbound' ? parties.from : parties.to;
  const summary = summarizeCall(row, parties);
  return { row, line: { ...toCallView(summary), numberLabel: summary.numberLabel }, other };
};

/** Returns a function that matches the same calls as a search on the pages. */
const createCheck = async (queries: Queries, teamId: string, search: string) => {
  const [isNamed, isLabeled] = [createMatcher(search), await findLabeled(queries, teamId, search)];
  return ({ accountId, direction, fromHash, toHash }: ListedCall, other: Party | null): boolean =>
    isNamed(other) || isLabeled({ accountId, ownHash: direction === 'inbound' ? toHash : fromHash });
};

type Options = { most?: number | undefined; columns?: CsvColumns };

/** Exports calls as a file, newest first. An invalid query is refused before the file starts. */
export const createCallExports = (context: TelephonyContext) => {
  const { database, vault } = context;
  const exportRows = createExports(context, tooManyExports);
  return async (
    visitor: Visitor,
    { search, ...query }: CallQuery,
    { most, columns = 'fields' }: Options = {},
  ): Promise<Readable> => {
    const { teamId } = visitor;
    const isWanted = search === undefined ? () => true : await createCheck(database, teamId, search);
    let filter: CallFilter = await toCallFilter(vault, teamId, query);
    return exportRows(visitor, {
      head: csvHead(columns),
      most,
      async readPage(limit) {
        const rows = await listCalls(database, teamId, filter, limit);
        const last = rows.at(-1);
        if (last) filter = { ...filter, after: last };
        const calls = await Promise.all(rows.map((row) => openCall(vault, row)));
        const wanted = calls.filter(({ row, other }) => isWanted(row, other));
        const lines = toCsv(
          wanted.map(({ line }) => line),
          columns,
        );
        return { lines, rows: rows.length, isLast: rows.length < limit };
      },
    });
  };
};
