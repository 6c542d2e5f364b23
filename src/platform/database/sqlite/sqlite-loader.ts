import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommandRefused } from '../../commands/command.ts';
import type { Transaction } from '../database.ts';
import { type Loader, RowRefused } from '../loader.ts';
import { queriesThrough } from './sqlite-queries.ts';
import { readPieces } from './sqlite-snapshot.ts';
import { createSqliteStatements, translateSqliteError } from './sqlite-statements.ts';

/** Turns off the journal and syncing. A file that isn't finished is thrown away, so neither is needed. */
const PRAGMAS = `pragma locking_mode = exclusive; pragma journal_mode = off; pragma synchronous = off;
  pragma cache_size = -131072`;

/** The name of a file that is being filled. */
export const partOf = (path: string): string => `${path}.part`;

const syncAndClose = (file: number): void => {
  fsyncSync(file);
  closeSync(file);
};

/** Gives a complete file its final name. When this returns, the file and its name are on disk. */
export const renameOnDisk = (from: string, to: string): void => {
  syncAndClose(openSync(from, 'r+'));
  renameSync(from, to);
  // On Windows, a folder can't be synced.
  if (process.platform !== 'win32') syncAndClose(openSync(dirname(to), 'r'));
};

type Index = { name: string; sql: string };

/**
 * Fills a file called `<path>.part`, which is renamed once it's complete. Replaces the file of an interrupted attempt.
 */
export const openSqliteLoader = async (path: string): Promise<Loader> => {
  const part = partOf(path);
  rmSync(part, { force: true });
  const connection = new DatabaseSync(part, { enableForeignKeyConstraints: false });
  const statements = createSqliteStatements(connection);
  connection.exec(`${PRAGMAS}; begin`);

  const tx: Transaction = {
    engine: 'sqlite',
    ...queriesThrough(async (_text, question) => question(statements)),
    script: async (text) => connection.exec(text),
    afterCommit: () => undefined,
  };

  const refuseOrphans = (): void => {
    const orphan = connection.prepare('pragma foreign_key_check').get() as
      | { table: string; parent: string }
      | undefined;
    if (orphan)
      throw new RowRefused(`A row of ${orphan.table} refers to a row of ${orphan.parent} that does not exist`);
  };

  return {
    engine: 'sqlite',
    tx,
    read: (text) => readPieces(connection, text),
    async dropIndexes() {
      const indexes = connection
        .prepare("select name, sql from sqlite_schema where type = 'index' and sql is not null")
        .all() as Index[];
      for (const { name } of indexes) connection.exec(`drop index ${name}`);
      return async () => {
        for (const { sql } of indexes) connection.exec(sql);
        refuseOrphans();
      };
    },
    async insert(table, columns, rows) {
      const places = columns.map(() => '?');
      const insert = connection.prepare(`insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`);
      try {
        // Numbers are bound as REAL. SQLite stores them as integers, because of the column's type.
        for (const row of rows) insert.run(...row);
      } catch (error) {
        throw translateSqliteError(error);
      }
    },
    async commit() {
      connection.exec('commit');
      connection.close();
      // Another command may have created the database since we checked that there is none.
      if (existsSync(path)) {
        rmSync(part);
        throw new CommandRefused(`Another process has created ${path} meanwhile. Nothing was kept.`);
      }
      renameOnDisk(part, path);
    },
    async close() {
      if (connection.isOpen) connection.close();
    },
  };
};
