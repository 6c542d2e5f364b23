import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Settings } from './place.ts';
import { PROGRAM } from './start-service.ts';

/** Runs a command in a separate process, as an operator does. Returns what the command prints. */
export const runCommand = async (
  settings: Settings,
  args: readonly string[],
  { signal, mayFail = false }: { signal: AbortSignal; mayFail?: boolean },
): Promise<string> => {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: settings.PATCHBAY_DATA,
    env: { ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0 && !mayFail) throw new Error(`"${args.join(' ')}" failed: ${complaint}`);
  return printed;
};
