import { openDatabase } from '../../src/platform/index.ts';
import { alternatePeers } from '../alternate-peers.ts';
import type { Benchmark } from '../benchmark.ts';
import { findNoDisk } from '../machine.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { countSyncs } from './count-syncs.ts';
import { insertBare } from './insert-bare.ts';
import { insertInGroups, WAITERS } from './insert-rows.ts';
import { CREATE_TABLE } from './rows.ts';

const TITLE = 'durable inserts on SQLite';

/** Measures with a new file each time, so that every measurement starts with an empty table. */
const onFreshFile = async <Result>(measure: (directory: string) => Promise<Result> | Result): Promise<Result> => {
  await using cleanUp = new AsyncDisposableStack();
  return await measure(makeDirectory(cleanUp));
};

const measureOurs = async (dataDirectory: string, syncs: () => number): Promise<number> => {
  const database = openDatabase({ url: null, dataDirectory, poolSize: 1, statementTimeoutMs: 10_000 }, () => undefined);
  try {
    const before = syncs();
    await database.transaction((tx) => tx.script(CREATE_TABLE));
    const perSecond = await insertInGroups(database);
    if (syncs() - before < 2) throw new Error('Nothing has waited for the disk.');
    return perSecond;
  } finally {
    await database.close();
  }
};

export const sqliteGroupCommit: Benchmark = {
  name: 'sqlite',
  about: `inserts that share a commit at ${WAITERS} waiters, against single inserts`,
  async run({ signal, note }) {
    const noDisk = findNoDisk();
    if (noDisk) return [{ kind: 'not run', title: TITLE, why: noDisk }];
    const syncs = await countSyncs();
    const rounds = await alternatePeers(
      { ours: () => onFreshFile((directory) => measureOurs(directory, syncs)), peer: () => onFreshFile(insertBare) },
      { warmUps: 1, rounds: 5, signal },
    );
    note(`the disk was waited for ${syncs().toLocaleString('en')} times; every settled row was found once`);
    return [
      {
        kind: 'comparison',
        title: TITLE,
        unit: 'rows a second',
        ours: `group commit, ${WAITERS} waiters`,
        peer: 'node:sqlite, synchronous=FULL, one insert after another',
        rounds,
        goal: { atLeast: 5 },
      },
    ];
  },
};
