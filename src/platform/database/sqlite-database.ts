import { DatabaseSync } from 'node:sqlite';
import {
  type Database,
  DatabaseUnavailable,
  type InsertOutcome,
  type InsertTarget,
  type Transaction,
  type Value,
} from './database.ts';
import { diagnoseSqlite } from './sqlite-diagnosis.ts';
import { createSqliteScanner } from './sqlite-scanner.ts';
import { createSqliteStatements, type SqliteStatements, translateSqliteError } from './sqlite-statements.ts';
import { openSqliteWriter } from './sqlite-writer.ts';
import { createTransactionScope } from './transaction-scope.ts';

const READS = /^\s*(?:select|with)\b/i;

const insertText = ({ table, columns, onConflict }: InsertTarget): string => {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 1}`);
  const conflict = onConflict === 'skip' ? ' on conflict do nothing' : '';
  return `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})${conflict}`;
};

/** A constraint that one row breaks undoes that statement alone; the transaction and its neighbours go on. */
const insertOne = (statements: SqliteStatements, text: string, row: readonly Value[]): InsertOutcome => {
  try {
    return statements.run(text, row) > 0 ? 'inserted' : 'skipped';
  } catch (error) {
    const translated = translateSqliteError(error);
    if (translated instanceof DatabaseUnavailable) throw error;
    return translated instanceof Error ? translated : new Error('The row was refused.');
  }
};

/** The log is carried into the file every 16 MB: pages that are written often (indexes on random keys) go there once. */
const PRAGMAS = `pragma journal_mode = wal; pragma synchronous = full;
  pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 4000`;

const openWriter = (path: string) => {
  try {
    const writer = openSqliteWriter(path);
    writer.connection.exec(PRAGMAS);
    return writer;
  } catch (error) {
    throw translateSqliteError(error);
  }
};

/** The embedded engine: one file, write-ahead log, every commit on disk before it is acknowledged. */
export const openSqliteDatabase = (path: string, scanTimeoutMs: number): Database => {
  const writer = openWriter(path);
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  const reading = createSqliteStatements(reader);
  const scanner = createSqliteScanner(path);
  const scope = createTransactionScope();

  /** Reads go to the reading connection, which never waits for a writer; a write may answer rows too (`returning`). */
  const ask = async <Result>(text: string, question: (statements: SqliteStatements) => Result): Promise<Result> => {
    scope.refuseInside();
    if (!READS.test(text)) return writer.alone(question);
    try {
      return question(reading);
    } catch (error) {
      throw translateSqliteError(error);
    }
  };

  return {
    engine: 'sqlite',
    get: (text, values) => ask(text, (statements) => statements.get(text, values)),
    all: (text, values) => ask(text, (statements) => statements.all(text, values)),
    run: (text, values) => ask(text, (statements) => statements.run(text, values)),
    async transaction(work) {
      scope.refuseInside();
      const effects: (() => void)[] = [];
      const result = await writer.together((statements) => {
        const tx: Transaction = {
          engine: 'sqlite',
          get: async (text, values) => statements.get(text, values),
          all: async (text, values) => statements.all(text, values),
          run: async (text, values) => statements.run(text, values),
          script: async (text) => writer.connection.exec(text),
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
      writer.together((statements) => {
        const text = insertText(into);
        return rows.map((row) => insertOne(statements, text, row));
      }),
    diagnose: (timeoutMs) => diagnoseSqlite(path, timeoutMs),
    async close() {
      scanner.close();
      reader.close();
      await writer.close();
    },
  };
};
