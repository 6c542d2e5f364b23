import type { Queries } from './database.ts';

const PIECE = 200;

/** Deletes any number of rows, of which no statement takes so many that others have to wait for it. Answers how many. */
export const deleteInPieces = async (
  queries: Queries,
  { from, key, where }: { from: string; key: string; where: string },
  values: Parameters<Queries['run']>[1],
): Promise<number> => {
  for (let deleted = 0; ; ) {
    const piece = await queries.run(
      `delete from ${from} where ${key} in (select ${key} from ${from} where ${where} limit ${PIECE})`,
      values,
    );
    deleted += piece;
    if (piece < PIECE) return deleted;
  }
};
