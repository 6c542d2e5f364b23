import type { Queries } from './database.ts';

const PIECE = 200;

/** Deletes any number of rows, a few per statement so that nobody waits long. Returns how many. */
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
