import { type Database, openDatabase, Secret } from '../../src/platform/index.ts';
import { startPostgresqlServer } from '../../test/harness/postgresql-server.ts';
import { alternatePeers, pick } from '../alternate-peers.ts';
import type { Benchmark, Tools } from '../benchmark.ts';
import { findNoDisk } from '../machine.ts';
import { makeDirectory } from '../temporary-directory.ts';
import { insertInGroups, WAITERS } from './insert-rows.ts';
import { createPgbench, findPgbench, type PgbenchRun } from './pgbench.ts';
import { CREATE_TABLE } from './rows.ts';

const TITLE = 'durable inserts on PostgreSQL';
const MISSING = 'there is no pgbench here; on Debian it is in the package "postgresql" (or "postgresql-contrib")';

const openBenchDatabase = async ({ cleanUp }: Tools): Promise<{ url: string; database: Database }> => {
  const { url, remove } = await startPostgresqlServer();
  cleanUp.defer(remove);
  const settings = { url: new Secret(url), dataDirectory: '', poolSize: 10, statementTimeoutMs: 30_000 };
  const database = openDatabase(settings, () => undefined);
  cleanUp.defer(() => database.close());
  await database.transaction((tx) => tx.script(CREATE_TABLE));
  return { url, database };
};

/** Asks the server whether COMMIT waits for the disk, and throws if it doesn't. */
const checkDurable = async (database: Database, { note }: Tools): Promise<void> => {
  const names = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'];
  const settings = await Promise.all(names.map((name) => database.get<Record<string, string>>(`show ${name}`)));
  const shown: Record<string, string> = Object.assign({}, ...settings);
  note(names.map((name) => `${name}=${shown[name]}`).join(', '));
  if (shown['fsync'] !== 'on' || shown['synchronous_commit'] !== 'on')
    throw new Error('It does not wait for the disk.');
};

const bestOf = (runs: readonly PgbenchRun[]): PgbenchRun =>
  runs.reduce((best, run) => (run.perSecond > best.perSecond ? run : best));

export const postgresqlGroupCommit: Benchmark = {
  name: 'postgresql',
  about: `inserts that share a commit at ${WAITERS} waiters, against the best single-row rate of pgbench`,
  async run(tools) {
    const program = findPgbench();
    if (!program) return [{ kind: 'not run', title: TITLE, why: MISSING }];
    const noDisk = findNoDisk();
    if (noDisk) return [{ kind: 'not run', title: TITLE, why: noDisk }];
    const { url, database } = await openBenchDatabase(tools);
    await checkDurable(database, tools);
    const pgbench = createPgbench(program, { url, directory: makeDirectory(tools.cleanUp), signal: tools.signal });

    /** Empties the table before a measurement. The checkpoint is made now, so that it isn't part of the measurement. */
    const empty = async (): Promise<void> => {
      await database.run('truncate bench_rows');
      await database.run('checkpoint');
    };
    const countAgain = async ({ rows }: PgbenchRun): Promise<void> => {
      const stored = await database.get<{ n: number }>('select count(*) as n from bench_rows');
      if (stored?.n !== rows) throw new Error(`pgbench counts ${rows} rows and the table ${stored?.n}.`);
    };

    const runs = await alternatePeers<{ perSecond: number; runs: PgbenchRun[] }>(
      {
        async ours() {
          await empty();
          return { perSecond: await insertInGroups(database), runs: [] };
        },
        async peer() {
          const swept = await pgbench.sweep(empty, countAgain);
          return { perSecond: bestOf(swept).perSecond, runs: swept };
        },
      },
      { warmUps: 1, rounds: 3, signal: tools.signal },
    );
    const { perSecond, clients } = bestOf(runs.peer.flatMap((sample) => sample.runs));
    tools.note(
      `pgbench was best at ${clients} clients with ${Math.round(perSecond)}; every settled row was found once`,
    );
    return [
      {
        kind: 'comparison',
        title: TITLE,
        unit: 'rows a second',
        ours: `group commit, ${WAITERS} waiters`,
        peer: 'pgbench, best of its client counts',
        rounds: pick(runs, (sample) => sample.perSecond),
        goal: { atLeast: 2 },
      },
    ];
  },
};
