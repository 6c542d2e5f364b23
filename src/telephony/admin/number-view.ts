import type { Static } from 'typebox';
import { type ListPage, type PageQuery, readPage, Type, toIso } from '../../platform/index.ts';
import { getNumber, listNumbers, type NumberRow } from '../accounts/number-store.ts';
import { NUMBER_FIELDS, openNumberFields } from '../accounts/numbers.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { cursorInvalid, numberUnknown } from '../errors.ts';

/** A number as an admin sees it. */
export const NumberView = Type.Object({
  id: Type.String(),
  ...NUMBER_FIELDS,
  createdAt: Type.String({ format: 'date-time' }),
});
export type NumberView = Static<typeof NumberView>;

export const toNumberView = async (context: TelephonyContext, row: NumberRow): Promise<NumberView> => ({
  id: row.id,
  ...(await openNumberFields(context, row)),
  createdAt: toIso(row.createdAt),
});

export const getNumberView = async (context: TelephonyContext, teamId: string, id: string): Promise<NumberView> => {
  const row = await getNumber(context.database, teamId, id);
  if (!row) throw numberUnknown();
  return toNumberView(context, row);
};

/** A page of the team's numbers, or of one account's. */
export const listNumberViews = async (
  context: TelephonyContext,
  teamId: string,
  query: PageQuery,
  accountId: string | null = null,
): Promise<ListPage<NumberView>> => {
  const { rows, nextCursor } = await readPage(query, {
    read: (after, limit) => listNumbers(context.database, { teamId, accountId }, after, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });
  return { rows: await Promise.all(rows.map((row) => toNumberView(context, row))), nextCursor };
};
