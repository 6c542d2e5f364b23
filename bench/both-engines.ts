import { startPostgresqlServer } from '../test/harness/postgresql-server.ts';
import type { Benchmark, Result, Tools } from './benchmark.ts';

/** The database to run on. `databaseUrl` is null for SQLite, which is in the data directory. */
export type EngineChoice = { title: 'SQLite' | 'PostgreSQL'; databaseUrl: string | null };

type Plan = Pick<Benchmark, 'name' | 'about' | 'longestMs'> & {
  run(tools: Tools, engine: EngineChoice): Promise<Result[]>;
};

/** Makes two benchmarks: one on SQLite, and the same one on a PostgreSQL server of its own. */
export const onBothEngines = ({ name, about, run, ...plan }: Plan): [sqlite: Benchmark, postgresql: Benchmark] => [
  { ...plan, name, about: `${about}, on SQLite`, run: (tools) => run(tools, { title: 'SQLite', databaseUrl: null }) },
  {
    ...plan,
    name: `${name}-postgresql`,
    about: 'the same on PostgreSQL',
    async run(tools) {
      const { url, remove } = await startPostgresqlServer();
      tools.cleanUp.defer(remove);
      return run(tools, { title: 'PostgreSQL', databaseUrl: url });
    },
  },
];
