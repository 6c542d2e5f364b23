import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { defineJob } from '../../src/jobs/index.ts';
import { type DatabaseSettings, Secret, Type } from '../../src/platform/index.ts';

/** Its first attempt never ends. */
export const holdOnce = defineJob({ name: 'hold-once', payload: Type.Object({}) });
/** Kills the process that takes it, each time. */
export const killProcess = defineJob({ name: 'kill-process', payload: Type.Object({}), attempts: 2 });
/** Ends once the process is told this word, or at once if there is none. */
export const awaitWord = defineJob({ name: 'await-word', payload: Type.Object({ word: Type.String() }) });

/** The child's side of `startProcess`. */
export const settingsFrom = ([, , dataDirectory = '', url = '']: readonly string[]): DatabaseSettings => ({
  url: url === '' ? null : new Secret(url),
  dataDirectory,
  poolSize: 4,
  statementTimeoutMs: 10_000,
});

/**
 * A real process over this database: a worker, or a command that only enqueues. `lines` is what it printed, and `tell`
 * tells it a word.
 */
export const startProcess = (role: 'worker' | 'command', { dataDirectory, url }: DatabaseSettings) => {
  const script = fileURLToPath(new URL(`./jobs-${role}.child.ts`, import.meta.url));
  const child = spawn(process.execPath, [script, dataDirectory, url?.reveal() ?? ''], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'close');
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  return {
    pid: child.pid ?? 0,
    lines,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    exitCode: () => child.exitCode,
    tell: (word: string): void => void child.stdin.write(`${word}\n`),
    async end(signal: NodeJS.Signals): Promise<void> {
      child.kill(signal);
      await exited;
    },
  };
};

export type StartedProcess = ReturnType<typeof startProcess>;
