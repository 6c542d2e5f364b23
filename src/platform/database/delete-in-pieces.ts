import type { Queries } from './database.ts';

const PIECE = 200;

/**
 * The rows to delete. `key` names the columns of the primary key. Use a smaller `piece` if the rows are scattered in
 * the file, because deleting them takes longer. `along` is the column whose index finds them: without it, PostgreSQL reads
 * the whole table for each piece while its statistics say that most rows are to go.
 */
type Doomed = { from: string; key: string; where: string; along?: string; piece?: number };

/**
 * Deletes any number of rows, a few per statement, so that other statements can run in between. Awaits `pace` after
 * each piece. Returns how many rows were deleted.
 */
export const deleteInPieces = async (
  queries: Queries,
  { from, key, where, along, piece: most = PIECE }: Doomed,
  values: Parameters<Queries['run']>[1],
  pace?: () => Promise<void>,
): Promise<number> => {
  const doomed = `${where}${along === undefined ? '' : ` order by ${along}`} limit ${most}`;
  for (let deleted = 0; ; ) {
    const piece = await queries.run(
      `delete from ${from} where (${key}) in (select ${key} from ${from} where ${doomed})`,
      values,
    );
    deleted += piece;
    if (piece < most) return deleted;
    await pace?.();
  }
};
