import type { Static } from 'typebox';
import { type Database, type ListPage, type PageQuery, readPage, Type, toIso } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { getNumber, listNumbers, type NumberRow } from '../accounts/number-store.ts';
import { toNumberWish } from '../accounts/put-number.ts';
import { Answer } from '../contract/answer-settings.ts';
import { cursorInvalid, numberUnknown } from '../errors.ts';

export const NUMBER_FIELDS = {
  number: Type.String({ minLength: 2, maxLength: 40, description: 'With a country code, like +15551230001' }),
  label: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
  account: Type.String({ maxLength: 60, description: "The telephony account's id in Patchbay" }),
  answer: Answer,
};

/** A number as an admin sees it. */
export const NumberAnswer = Type.Object({
  id: Type.String(),
  ...NUMBER_FIELDS,
  createdAt: Type.String({ format: 'date-time' }),
});
export type NumberAnswer = Static<typeof NumberAnswer>;

export const toNumberAnswer = async (vault: Vault, row: NumberRow): Promise<NumberAnswer> => ({
  id: row.id,
  ...(await toNumberWish(vault, row)),
  createdAt: toIso(row.createdAt),
});

type Dependencies = { database: Database; vault: Vault };

export const getNumberAnswer = async (
  { database, vault }: Dependencies,
  teamId: string,
  id: string,
): Promise<NumberAnswer> => {
  const row = await getNumber(database, teamId, id);
  if (!row) throw numberUnknown();
  return toNumberAnswer(vault, row);
};

/** A page of the team's numbers, or of one account's. */
export const listNumberAnswers = async (
  { database, vault }: Dependencies,
  whose: { teamId: string; accountId: string | null },
  query: PageQuery,
): Promise<ListPage<NumberAnswer>> => {
  const { rows, nextCursor } = await readPage(query, {
    read: (after, limit) => listNumbers(database, whose, after, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });
  return { rows: await Promise.all(rows.map((row) => toNumberAnswer(vault, row))), nextCursor };
};
