import { Readable } from 'node:stream';
import { currentWork, type Refusal, type Work, workFor } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved } from '../errors.ts';
import type { Visitor } from '../records/holder.ts';
import { isStillIn } from '../tokens/is-still-in.ts';
import { createOpenStreams } from './open-streams.ts';

/** How many rows a file has at most. */
export const MOST_EXPORTED = 100_000;
/** Rows per page. Files are made page by page to save memory, and other work runs between pages. */
const PAGE = 50;
/** How many exports may run at once. A file of a hundred thousand rows is a lot of work. */
const AT_ONCE = { perUser: 2, perTeam: 5 };
/** What the operator's files count for. */
const OPERATOR = { teamId: 'operator', userId: 'operator' };

/** Part of a file: its lines, how many rows were read for it, and whether there are no more. */
type ExportedPage = { lines: string; rows: number; isLast: boolean };

/** What a file is made of: its first line, and the pages that follow, of at most `limit` rows each. */
type Exported = { head: string; most?: number | undefined; readPage(limit: number): Promise<ExportedPage> };

type Context = Pick<TeamsContext, 'database' | 'clock'>;

const writePages = async function* (
  { database, clock }: Context,
  visitor: Visitor | null,
  { head, most = MOST_EXPORTED, readPage }: Exported,
  work: Work,
): AsyncGenerator<string> {
  const readNext = async (limit: number): Promise<ExportedPage> => {
    // With a slow connection, a person may be removed from the team during the download. The file then breaks off, so
    // that it isn't mistaken for a complete one.
    if (visitor && !(await isStillIn(database, visitor, clock.now()))) throw callerRemoved();
    return readPage(limit);
  };
  yield head;
  for (let left = most; left > 0; ) {
    const limit = Math.min(PAGE, left);
    // The HTTP response pulls each page outside the request's context, so the owner of the work is set again here.
    const { lines, rows, isLast } = await workFor(work, () => readNext(limit));
    yield lines;
    if (isLast) return;
    left -= rows;
  }
};

/**
 * Returns a function that exports rows as a file: for a visitor, or with null for the operator. `refuse` makes the refusal
 * if too many exports are running.
 */
export const createExports = (context: Context, refuse: () => Refusal) => {
  const streams = createOpenStreams(AT_ONCE, refuse);
  return (visitor: Visitor | null, exported: Exported): Readable => {
    const work = currentWork();
    return streams.add(visitor ?? OPERATOR, () => Readable.from(writePages(context, visitor, exported, work)));
  };
};
