import { DatabaseSync } from 'node:sqlite';
import {
  type Database,
  DatabaseUnavailable,
  type InsertOutcome,
  type InsertTarget,
  type Transaction,
  type Value,
} from '../database.ts';
import type { DatabaseSettings } from '../database-settings.ts';
import { createTransactionScope } from '../transaction-scope.ts';
import { createCommitBell, createCommitCount } from './commit-bell.ts';
import { diagnoseSqlite } from './diagnose-sqlite.ts';
import { createFairTurns, type FairTurns } from './fair-turns.ts';
import { createSqliteCheckpointer } from './sqlite-checkpointer.ts';
import { createSqliteLogSync } from './sqlite-log-sync.ts';
import { queriesThrough } from './sqlite-queries.ts';
import { createSqliteScanner } from './sqlite-scanner.ts';
import { createSqliteStatements, type SqliteStatements, translateSqliteError } from './sqlite-statements.ts';
import { openSqliteWriter } from './sqlite-writer.ts';

const READS = /^\s*(?:select|with)\b/i;

const insertText = ({ table, columns, onConflict }: InsertTarget): string => {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 1}`);
  const conflict = onConflict === 'skip' ? ' on conflict do nothing' : '';
  return `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})${conflict}`;
};

/** Inserts one row. If it violates a constraint, only its own statement is undone, and the transaction continues. */
const insertOne = (statements: SqliteStatements, text: string, row: readonly Value[]): InsertOutcome => {
  try {
    return statements.run(text, row) > 0 ? 'inserted' : 'skipped';
  } catch (error) {
    const translated = translateSqliteError(error);
    if (translated instanceof DatabaseUnavailable) throw error;
    return translated instanceof Error ? translated : new Error('The row was refused.');
  }
};

/**
 * With `synchronous = normal`, COMMIT doesn't wait for the disk. `createSqliteLogSync` does that instead. SQLite itself
 * copies the log into the file only if the checkpointer falls behind (32,000 pages, about 128 MB).
 */
const PRAGMAS = `pragma journal_mode = wal; pragma synchronous = normal;
  pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 32000; pragma cache_size = -16384`;

const openWriter = (...parts: Parameters<typeof openSqliteWriter>) => {
  try {
    const writer = openSqliteWriter(...parts);
    writer.connection.exec(PRAGMAS);
    return writer;
  } catch (error) {
    throw translateSqliteError(error);
  }
};

/** Never waits. For a thread that does nothing but use the database, and has no requests to delay. */
const NOBODY_ELSE: FairTurns = { beforeStatement: () => null, beforeTransaction: () => null };

type SqliteSettings = Pick<DatabaseSettings, 'beside' | 'checkpointThread' | 'commits'> & { scanTimeoutMs: number };

/** Opens the embedded engine: one file with a write-ahead log. A commit is acknowledged only once it's on disk. */
export const openSqliteDatabase = (
  path: string,
  { scanTimeoutMs, beside = false, checkpointThread = !beside, commits = createCommitCount() }: SqliteSettings,
): Database => {
  const turns = beside ? NOBODY_ELSE : createFairTurns();
  const scanner = createSqliteScanner(path);
  const checkpointer = checkpointThread ? createSqliteCheckpointer(path, scanner) : null;
  const log = createSqliteLogSync(path);
  const waitForDisk = (): Promise<void> => {
    checkpointer?.noteCommit();
    return log.sync().catch((error) => {
      throw new DatabaseUnavailable(`The disk cannot be written to (${error.code}).`);
    });
  };
  const writer = openWriter(path, turns, waitForDisk, createCommitBell(commits));
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  const reading = createSqliteStatements(reader);
  const scope = createTransactionScope();

  const inTurn = async <Result>(statement: () => Result): Promise<Result> => {
    const turn = turns.beforeStatement();
    if (turn) await turn;
    return statement();
  };

  /**
   * Runs reads on the reading connection, which never waits for a writer. Reads are recognized by their text, because
   * writes can return rows, too (`returning`).
   */
  const ask = async <Result>(text: string, question: (statements: SqliteStatements) => Result): Promise<Result> => {
    scope.refuseInside();
    if (!READS.test(text)) return writer.alone(question);
    try {
      return await inTurn(() => question(reading));
    } catch (error) {
      throw translateSqliteError(error);
    }
  };

  return {
    engine: 'sqlite',
    ...queriesThrough(ask),
    async transaction(work) {
      scope.refuseInside();
      const effects: (() => void)[] = [];
      const result = await writer.together((statements) => {
        const tx: Transaction = {
          engine: 'sqlite',
          ...queriesThrough((_text, question) => inTurn(() => question(statements))),
          script: (text) => inTurn(() => writer.connection.exec(text)),
          afterCommit: (effect) => effects.push(effect),
        };
        return scope.enter(() => work(tx));
      });
      for (const effect of effects) effect();
      return result;
    },
    async scan(text, values) {
      scope.refuseInside();
      return scanner.scan(text, values, scanTimeoutMs);
    },
    insertRows: (into, rows) =>
      writer.together(async (statements) => {
        const text = insertText(into);
        const outcomes: InsertOutcome[] = [];
        for (const row of rows) {
          const turn = turns.beforeStatement();
          if (turn) await turn;
          outcomes.push(insertOne(statements, text, row));
        }
        return outcomes;
      }),
    diagnose: (timeoutMs) => diagnoseSqlite(path, timeoutMs),
    async close() {
      scanner.close();
      reader.close();
      await checkpointer?.close();
      await writer.close();
      await log.close();
    },
  };
};
