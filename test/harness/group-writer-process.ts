import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type DatabaseSettings, type InsertTarget, Secret } from '../../src/platform/index.ts';

/** Without a unique key, so that a row written twice is there twice. */
export const MARKS_TABLE = 'create table marks (id text not null, turn bigint not null)';

export const marks: InsertTarget = {
  table: 'marks',
  columns: { id: 'text', turn: 'bigint' },
  id: 'id',
  onConflict: 'fail',
};

/** The child's side of `startGroupWriter`. */
export const settingsFrom = ([, , , dataDirectory = '', url = '']: readonly string[]): DatabaseSettings => ({
  url: url === '' ? null : new Secret(url),
  dataDirectory,
  poolSize: 4,
  statementTimeoutMs: 10_000,
});

/** A real process that writes until it is killed. `lines` is what it printed about settled writes. */
export const startGroupWriter = (round: string, { dataDirectory, url }: DatabaseSettings) => {
  const script = fileURLToPath(new URL('./group-writer.child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, round, dataDirectory, url?.reveal() ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  return {
    lines,
    /** `kill -9`, and everything it had printed before. */
    async kill(): Promise<readonly string[]> {
      child.kill('SIGKILL');
      await closed;
      return lines;
    },
  };
};
