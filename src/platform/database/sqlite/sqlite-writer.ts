import { DatabaseSync } from 'node:sqlite';
import { currentWork } from '../../turns/owner.ts';
import { createTurns } from '../../turns/turns.ts';
import { DatabaseUnavailable } from '../database.ts';
import { createCommitBell, createCommitCount } from './commit-bell.ts';
import type { FairTurns } from './fair-turns.ts';
import { createSqliteStatements, isBusy, type SqliteStatements, translateSqliteError } from './sqlite-statements.ts';
import { refuseMoved } from './unusable-file.ts';

const BUSY_PATIENCE_MS = 10_000;
const MOST_WAITING = 5_000;

/**
 * The only connection that writes, one task at a time. It waits for the writes of other processes without blocking the
 * event loop (SQLite's own busy timeout would block it: 1,012 ms measured for a timeout of 1,000).
 */
export const openSqliteWriter = (
  path: string,
  turns: FairTurns,
  sync: () => Promise<void>,
  bell = createCommitBell(createCommitCount()),
) => {
  const connection = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  const statements = createSqliteStatements(connection);
  const writing = createTurns({ atOnce: 1 });

  /**
   * Starts the time limit when the task joins the queue. If it started later, each task behind a blocked one would wait
   * for the full time again.
   */
  const inTurn = async <Result>(work: (giveUpAt: number) => Promise<Result>): Promise<Result> => {
    if (writing.waiting >= MOST_WAITING) throw new DatabaseUnavailable('Too many writes are waiting for the database.');
    const giveUpAt = performance.now() + BUSY_PATIENCE_MS;
    return writing.run(currentWork(), () => work(giveUpAt));
  };

  const whenFree = async <Result>(giveUpAt: number, attempt: () => Result): Promise<Result> => {
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 5)) {
      const waitForEnd = bell.listen();
      try {
        refuseMoved(path);
        return attempt();
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw translateSqliteError(error);
      }
      await waitForEnd(waitMs * (0.5 + Math.random()));
    }
  };

  /** Waits for the disk outside the queue, so that the next task can start meanwhile. */
  const onDisk = async <Result>(work: (giveUpAt: number) => Promise<Result>): Promise<Result> => {
    const result = await inTurn(work);
    await sync();
    return result;
  };

  const rollBack = (): void => {
    // After a full disk or an I/O error, SQLite has already rolled back.
    if (connection.isTransaction) connection.exec('rollback');
  };

  return {
    connection,
    /** Runs one statement with its own commit. */
    alone: <Result>(work: (statements: SqliteStatements) => Result): Promise<Result> =>
      onDisk(async (giveUpAt) => {
        await turns.beforeStatement();
        const result = await whenFree(giveUpAt, () => work(statements));
        bell.ring();
        return result;
      }),
    /** Runs `work` in a transaction: everything it does commits together or not at all. */
    together: <Result>(work: (statements: SqliteStatements) => Promise<Result> | Result): Promise<Result> =>
      onDisk(async (giveUpAt) => {
        await turns.beforeTransaction();
        await whenFree(giveUpAt, () => connection.exec('begin immediate'));
        try {
          const result = await work(statements);
          connection.exec('commit');
          return result;
        } catch (error) {
          rollBack();
          throw translateSqliteError(error);
        } finally {
          bell.ring();
        }
      }),
    async close(): Promise<void> {
      // Let tasks that are already in the queue finish first.
      for (let others = true; others; ) {
        const end = await writing.take(currentWork());
        others = writing.waiting > 0;
        end();
      }
      connection.close();
    },
  };
};
