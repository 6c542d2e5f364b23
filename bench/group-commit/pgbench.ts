import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, globSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PAYLOAD } from './rows.ts';

const SECONDS = 2;
const CLIENTS = [1, 4, 16, 32, 64];

/** Inserts a row that the server makes: with an ID that grows with time, as ours do, and a random second key. */
const SCRIPT = `insert into bench_rows (id, dedup_key, received_at, payload)
values (uuidv7()::text, gen_random_uuid()::text, (extract(epoch from now()) * 1000)::bigint, '${PAYLOAD}');\n`;

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Finds the program `pgbench`. Null if it isn't installed. Debian keeps some versions outside of PATH. */
export const findPgbench = (): string | null => {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'pgbench'));
  const packaged = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse();
  return [...onPath, ...packaged].find(isExecutable) ?? null;
};

export type PgbenchRun = { clients: number; rows: number; perSecond: number };

const readNumber = (output: string, pattern: RegExp): number => {
  const number = Number(pattern.exec(output)?.[1]);
  if (!(number > 0)) throw new Error(`pgbench did not say ${pattern}: ${output}`);
  return number;
};

/** Runs pgbench with prepared inserts of a single row, each in its own transaction. */
export const createPgbench = (
  program: string,
  { url, directory, signal }: { url: string; directory: string; signal: AbortSignal },
) => {
  const script = join(directory, 'insert.sql');
  writeFileSync(script, SCRIPT);
  const { hostname, port, username, pathname } = new URL(url);

  const runWith = async (clients: number): Promise<PgbenchRun> => {
    const threads = Math.min(clients, availableParallelism());
    const options = { T: SECONDS, c: clients, j: threads, f: script, M: 'prepared', h: hostname, p: port, U: username };
    const args = Object.entries(options).flatMap(([name, value]) => [`-${name}`, String(value)]);
    const child = spawn(program, ['-n', ...args, pathname.slice(1)], { stdio: ['ignore', 'pipe', 'pipe'], signal });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    if (code !== 0) throw new Error(`pgbench failed: ${errors}`);
    return {
      clients,
      rows: readNumber(output, /transactions actually processed: (\d+)/),
      perSecond: readNumber(output, /^tps = ([\d.]+)/m),
    };
  };

  return {
    /** Runs once for each number of clients. `before` empties the table before a run, and `after` counts its rows. */
    async sweep(before: () => Promise<void>, after: (run: PgbenchRun) => Promise<void>): Promise<PgbenchRun[]> {
      const runs: PgbenchRun[] = [];
      for (const clients of CLIENTS) {
        await before();
        const run = await runWith(clients);
        await after(run);
        runs.push(run);
      }
      return runs;
    },
  };
};
