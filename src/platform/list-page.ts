import type { Static } from 'typebox';
import type { Refusal } from './refusal.ts';
import { Type } from './type.ts';

const STANDARD = 50;
/** How many characters of stored text a page may have, so that no list takes long to print or much memory to hold. */
const MOST_TEXT = 256 * 1024;

/** The query of every list: how many entries to return, and where to continue. */
export const PageQuery = Type.Object(
  {
    limit: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: STANDARD,
      description: 'At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null',
    }),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: '`nextCursor` from the previous page' })),
  },
  { additionalProperties: false },
);
export type PageQuery = Static<typeof PageQuery>;

export const FIRST_PAGE: PageQuery = { limit: STANDARD };

export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: '`cursor` for the next page; null if there are no more',
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** IDs that sort before and after all others: where an ascending or a descending list starts. */
export const BEFORE_IDS = '00000000-0000-0000-0000-000000000000';
export const AFTER_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A list in the order of a unique key, which is the row's ID by default. */
type Listing<Row> = {
  read(after: string | null, limit: number): Promise<Row[]>;
  keyOf(row: Row): string;
  /** What a key looks like. Default: a UUID. */
  shape?: RegExp;
  refuseCursor(): Refusal;
};

export type ListPage<Row> = { rows: Row[]; nextCursor: string | null };

const lengthOf = (row: unknown): number =>
  Object.values(row ?? {}).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Cuts the rows to the limit and to `MOST_TEXT`, but keeps at least one. */
const cut = <Row>(rows: readonly Row[], limit: number): Row[] => {
  let length = 0;
  const end = rows.findIndex((row, index) => {
    length += lengthOf(row);
    return index === limit || (index > 0 && length > MOST_TEXT);
  });
  return end === -1 ? [...rows] : rows.slice(0, end);
};

/** The cursor of the page that begins after a key. */
export const toCursor = (key: string): string => Buffer.from(key).toString('base64url');

export const readPage = async <Row>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  { read, keyOf, shape = UUID, refuseCursor }: Listing<Row>,
): Promise<ListPage<Row>> => {
  const after = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString();
  if (after !== null && !shape.test(after)) throw refuseCursor();
  const found = await read(after, limit + 1);
  const rows = cut(found, limit);
  const last = rows.at(-1);
  return {
    rows,
    nextCursor: found.length > rows.length && last ? toCursor(keyOf(last)) : null,
  };
};

const AT_ONCE = 100;

/** Reads the whole list, a page at a time. For the command line. */
export const readAll = async <Row>(readNext: (query: PageQuery) => Promise<ListPage<Row>>): Promise<Row[]> => {
  const all: Row[] = [];
  for (let query: PageQuery = { limit: AT_ONCE }; ; ) {
    const { rows, nextCursor } = await readNext(query);
    all.push(...rows);
    if (nextCursor === null) return all;
    query = { limit: AT_ONCE, cursor: nextCursor };
  }
};
