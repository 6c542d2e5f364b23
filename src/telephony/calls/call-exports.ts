import { Readable } from 'node:stream';
import { describeWanted, unauthorized } from '../../http/index.ts';
import type { Clock, Database } from '../../platform/index.ts';
import { createOpenStreams, isStillIn, type Visitor } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import { tooManyExports } from '../errors.ts';
import { toCallAnswer } from './call-answer.ts';
import { csvHead, toCsv } from './call-csv.ts';
import { type CallQuery, toCallFilter } from './call-query.ts';
import { type CallFilter, listCalls } from './call-store.ts';

type Dependencies = { database: Database; vault: Vault; clock: Clock };

export const CSV_MOST = 100_000;
/** A file is made page by page to save memory. Others get a turn between pages. */
const PAGE = 50;
/** A file of a hundred thousand calls is a lot of work. */
const AT_ONCE = { perUser: 2, perTeam: 5 };

const writeLines = async function* (
  { database, vault, clock }: Dependencies,
  visitor: Visitor,
  filter: CallFilter,
  most: number,
): AsyncGenerator<string> {
  yield csvHead();
  let left = most;
  for (let page = filter; left > 0; ) {
    // A slow reader may be removed from the team meanwhile. A file that breaks off isn't mistaken for a complete one.
    if (!(await isStillIn(database, visitor, clock.now())))
      throw unauthorized(describeWanted('member'), 'invalid_token');
    const rows = await listCalls(database, visitor.teamId, page, Math.min(PAGE, left));
    yield toCsv(await Promise.all(rows.map((row) => toCallAnswer(vault, row))));
    left -= rows.length;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    page = { ...page, after: last };
  }
};

/** The requested calls as a file, newest first. An invalid query is refused before it starts. */
export const createCallExports = (dependencies: Dependencies) => {
  const streams = createOpenStreams(AT_ONCE, tooManyExports);
  return async (visitor: Visitor, query: CallQuery, most: number = CSV_MOST): Promise<Readable> => {
    const filter = await toCallFilter(dependencies.vault, visitor.teamId, query);
    return streams.add(visitor, () => Readable.from(writeLines(dependencies, visitor, filter, most)));
  };
};

export type CallExports = ReturnType<typeof createCallExports>;
