import { type ListPage, readPage } from '../../platform/index.ts';
import { teamCursorInvalid } from '../errors.ts';

/** Reads a page of a list that is sorted by ID. */
export const readIdPage = <Row extends { id: string }>(
  query: { limit: number; cursor?: string | undefined },
  read: (from: string | null, limit: number) => Promise<Row[]>,
): Promise<ListPage<Row>> => readPage(query, { read, keyOf: ({ id }) => id, refuseCursor: teamCursorInvalid });
