import { type Database, openDatabase } from '../../src/platform/index.ts';
import { alternatePeers } from '../alternate-peers.ts';
import type { Benchmark } from '../benchmark.ts';
import { findNoDisk } from '../machine.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { insertAlone, insertInGroups, WAITERS } from './insert-rows.ts';
import { CREATE_TABLE } from './rows.ts';

const TITLE = 'durable inserts on SQLite';
const FULL = 2;

const checkDurable = async (database: Database): Promise<void> => {
  const row = await database.get<{ synchronous: number }>('pragma synchronous');
  if (row?.synchronous !== FULL) throw new Error('SQLite does not wait for the disk: synchronous is not FULL.');
};

/** A file of its own for every measurement, so that none finds a fuller table than the other. */
const onFreshFile = async (measure: (database: Database) => Promise<number>): Promise<number> => {
  await using cleanUp = new AsyncDisposableStack();
  const dataDirectory = makeDirectory(cleanUp);
  const database = openDatabase({ url: null, dataDirectory, poolSize: 1, statementTimeoutMs: 10_000 }, () => undefined);
  cleanUp.defer(() => database.close());
  await checkDurable(database);
  await database.transaction((tx) => tx.script(CREATE_TABLE));
  return await measure(database);
};

export const sqliteGroupCommit: Benchmark = {
  name: 'sqlite',
  about: `inserts that share a commit at ${WAITERS} waiters, against single inserts`,
  async run({ signal, note }) {
    const noDisk = findNoDisk();
    if (noDisk) return [{ kind: 'not run', title: TITLE, why: noDisk }];
    const rounds = await alternatePeers(
      { ours: () => onFreshFile(insertInGroups), peer: () => onFreshFile(insertAlone) },
      { warmUps: 1, rounds: 5, signal },
    );
    note('journal_mode=wal, synchronous=FULL; every settled row was found once');
    return [
      {
        kind: 'comparison',
        title: TITLE,
        unit: 'rows a second',
        ours: `group commit, ${WAITERS} waiters`,
        peer: 'one insert after another',
        rounds,
        goal: { atLeast: 5 },
      },
    ];
  },
};
