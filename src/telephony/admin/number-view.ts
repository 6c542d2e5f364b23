import type { Static } from 'typebox';
import { type ListPage, type PageQuery, readPage, Type, toIso } from '../../platform/index.ts';
import { getNumber, listNumbers, type NumberRow } from '../accounts/number-store.ts';
import { NUMBER_FIELDS, openNumberFields } from '../accounts/numbers.ts';
import { listSimulated } from '../accounts/simulated-account-store.ts';
import type { TelephonyContext } from '../context.ts';
import { callCursorInvalid, numberUnknown } from '../errors.ts';

/** A number as an admin sees it. */
export const NumberView = Type.Object(
  {
    id: Type.String(),
    ...NUMBER_FIELDS,
    simulated: Type.Boolean({ description: 'It belongs to a simulated account, so nobody can call it or change it' }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'PhoneNumber' },
);
export type NumberView = Static<typeof NumberView>;

const toNumberViews = async (
  context: TelephonyContext,
  teamId: string,
  rows: readonly NumberRow[],
): Promise<NumberView[]> => {
  const simulated = new Set((await listSimulated(context.database, teamId)).map(({ id }) => id));
  const toView = async (row: NumberRow): Promise<NumberView> => ({
    id: row.id,
    ...(await openNumberFields(context, row)),
    simulated: simulated.has(row.accountId),
    createdAt: toIso(row.createdAt),
  });
  return Promise.all(rows.map(toView));
};

export const getNumberView = async (context: TelephonyContext, teamId: string, id: string): Promise<NumberView> => {
  const row = await getNumber(context.database, teamId, id);
  const [view] = row ? await toNumberViews(context, teamId, [row]) : [];
  if (!view) throw numberUnknown();
  return view;
};

/** Lists a page of numbers: all of the team's, or only those of one account. */
export const listNumberViews = async (
  context: TelephonyContext,
  teamId: string,
  query: PageQuery,
  accountId: string | null = null,
): Promise<ListPage<NumberView>> => {
  const { rows, nextCursor } = await readPage(query, {
    read: (after, limit) => listNumbers(context.database, { teamId, accountId }, after, limit),
    keyOf: ({ id }) => id,
    refuseCursor: callCursorInvalid,
  });
  return { rows: await toNumberViews(context, teamId, rows), nextCursor };
};
