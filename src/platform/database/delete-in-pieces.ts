import type { Queries } from './database.ts';

const PIECE = 200;

/** Which rows. `key` names the columns that tell rows apart. A smaller `piece` is for rows that are all over the file. */
type Doomed = { from: string; key: string; where: string; piece?: number };

/**
 * Deletes any number of rows, a few per statement so that nobody waits long. Returns how many. `pace` is awaited after
 * each piece.
 */
export const deleteInPieces = async (
  queries: Queries,
  { from, key, where, piece: most = PIECE }: Doomed,
  values: Parameters<Queries['run']>[1],
  pace?: () => Promise<void>,
): Promise<number> => {
  for (let deleted = 0; ; ) {
    const piece = await queries.run(
      `delete from ${from} where (${key}) in (select ${key} from ${from} where ${where} limit ${most})`,
      values,
    );
    deleted += piece;
    if (piece < most) return deleted;
    await pace?.();
  }
};
