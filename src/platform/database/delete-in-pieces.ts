import type { Queries } from './database.ts';

const PIECE = 200;

/**
 * The rows to delete. `key` names the columns of the primary key. Use a smaller `piece` if the rows are scattered in
 * the file, because deleting them takes longer.
 */
type Doomed = { from: string; key: string; where: string; piece?: number };

/**
 * Deletes any number of rows, a few per statement, so that other statements can run in between. Awaits `pace` after
 * each piece. Returns how many rows were deleted.
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
