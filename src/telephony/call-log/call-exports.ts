import type { Readable } from 'node:stream';
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
import { type CallPerson, findPersons } from '../people/person.ts';
import { cutText } from '../transcripts/transcript.ts';
import { type CsvColumns, csvHead, toCsv, toCsvCall } from './call-csv.ts';
import { type CallQuery, toCallFilter } from './call-query.ts';
import { findLabeled } from './labeled-numbers.ts';
import { createMatcher } from './search-calls.ts';
import { readHeard } from './shown-transcript.ts';
import { createTranscriptSearch } from './transcript-search.ts';

/** Limit for a cell. Spreadsheets cut longer ones. */
const CELL_CHARACTERS = 32_000;

type Told = { heard: string | undefined; person: CallPerson | null };

const openCall = async (vault: Vault, row: ListedCall, { heard, person }: Told) => {
  const parties = await openParties(vault, row);
  const other = row.direction === 'inbound' ? parties.from : parties.to;
  const summary = summarizeCall(row, parties, person);
  const transcript = heard === undefined ? null : cutText(heard, CELL_CHARACTERS);
  return { row, line: toCsvCall(toCallView(summary), { numberLabel: summary.numberLabel, transcript }), other };
};

/** Returns a function that matches the same calls as a search on the pages. */
const createCheck = async (context: TelephonyContext, teamId: string, search: string, hears: boolean) => {
  const [isNamed, isLabeled] = [createMatcher(search), await findLabeled(context.database, teamId, search)];
  const findHeard = await createTranscriptSearch(context, teamId, search, hears);
  return async (rows: readonly ListedCall[]) => {
    const heard = await findHeard(rows);
    return ({ id, accountId, direction, fromHash, toHash }: ListedCall, other: Party | null): boolean =>
      heard.has(id) || isNamed(other) || isLabeled({ accountId, ownHash: direction === 'inbound' ? toHash : fromHash });
  };
};

/** `hears`: whether the reader may know what was said in recordings. */
type Options = { most?: number | undefined; columns?: CsvColumns; hears?: boolean };

/** Exports calls as a file, newest first. An invalid query is refused before the file starts. */
export const createCallExports = (context: TelephonyContext) => {
  const { database, vault } = context;
  const exportRows = createExports(context, tooManyExports);
  return async (
    visitor: Visitor,
    { search, ...query }: CallQuery,
    { most, columns = 'fields', hears = true }: Options = {},
  ): Promise<Readable> => {
    const { teamId } = visitor;
    const check = search === undefined ? null : await createCheck(context, teamId, search, hears);
    let filter: CallFilter = await toCallFilter(vault, teamId, query);
    return exportRows(visitor, {
      head: csvHead(columns),
      most,
      async readPage(limit) {
        const rows = await listCalls(database, teamId, filter, limit);
        const last = rows.at(-1);
        if (last) filter = { ...filter, after: last };
        const heard = hears
          ? await readHeard(
              context,
              rows.filter(({ transcribedAt }) => transcribedAt !== null),
            )
          : new Map<string, string>();
        const personOf = await findPersons(context, rows);
        const calls = await Promise.all(
          rows.map((row) => openCall(vault, row, { heard: heard.get(row.id), person: personOf(row) })),
        );
        const isWanted = check && (await check(rows));
        const wanted = calls.filter(({ row, other }) => !isWanted || isWanted(row, other));
        const lines = toCsv(
          wanted.map(({ line }) => line),
          columns,
        );
        return { lines, rows: rows.length, isLast: rows.length < limit };
      },
    });
  };
};
