import { createCommitGroups } from './commit-groups.ts';
import type { Database, InsertRow, InsertTarget } from './database.ts';

type Write = { into: InsertTarget; row: InsertRow };

const MOST_PER_COMMIT = 500;

/** Only writes to the same table share a commit. */
const countTogether = (writes: readonly Write[]): number => {
  const end = writes.findIndex(({ into }, index) => into !== writes[0]?.into || index === MOST_PER_COMMIT);
  return end === -1 ? writes.length : end;
};

/** Group commit for frequent inserts (`createCommitGroups`). A row that the database refuses rejects alone. */
export const createGroupWriter = (database: Pick<Database, 'insertRows'>) => {
  const write = createCommitGroups<Write, 'inserted' | 'skipped'>({
    countTogether,
    async commit(group) {
      const [first] = group;
      if (!first) return [];
      return database.insertRows(
        first.into,
        group.map(({ row }) => row),
      );
    },
  });
  return {
    /** Resolves once the row is on disk: `inserted`, or `skipped` if its key exists and the target says to skip it. */
    insert: (into: InsertTarget, row: InsertRow): Promise<'inserted' | 'skipped'> => write({ into, row }),
  };
};
