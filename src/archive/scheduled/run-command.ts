import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../bin/patchbay.js', import.meta.url));
const MOST_OUTPUT = 10_000;

/** Runs a command. Null if it succeeded, otherwise the reason why it failed, in our own words. */
export type RunCommand = (args: readonly string[], signal: AbortSignal) => Promise<string | null>;

const readError = (output: string): string | null => {
  try {
    const { error } = JSON.parse(output);
    return typeof error === 'string' ? error : null;
  } catch {
    return null;
  }
};

/**
 * Lowers the CPU priority of a process before its threads start, so that they inherit it. Doesn't use the lowest
 * priority: on a busy machine, that leaves less than 1% of the CPU, and the backup never ends.
 */
export const lowerPriority = ({ pid }: Pick<ChildProcess, 'pid'>): void => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already, or the system doesn't allow it.
  }
};

/** Runs one of our commands in another process, with the settings of this one, so that requests don't wait for it. */
export const runCommand: RunCommand = (args, signal) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], {
      signal,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    lowerPriority(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(0, MOST_OUTPUT);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(null);
      else resolve(readError(output) ?? `The process that makes the backup ended with ${killedBy ?? `code ${code}`}.`);
    });
  });
