import { type ListPage, type PageQuery, readPage } from '../../platform/index.ts';
import { teamCursorInvalid } from '../errors.ts';

/** A page of a list that is sorted by id. */
export const readIdPage = <Row extends { id: string }>(
  query: PageQuery,
  read: (from: string | null, limit: number) => Promise<Row[]>,
): Promise<ListPage<Row>> => readPage(query, { read, keyOf: ({ id }) => id, refuseCursor: teamCursorInvalid });
