import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOPS = 4;
const LONGEST_STOP_MS = 1_000;
const LONGEST_PAUSE_MS = 500;

/**
 * Reads the parent of each process on the machine. In the file, the name in parentheses can contain spaces and
 * parentheses.
 */
const readParents = (): Map<number, number> =>
  new Map(
    globSync('/proc/[0-9]*/stat').flatMap((path) => {
      try {
        const [, pid, parent] = /^(\d+) \(.*\) \S (\d+)/s.exec(readFileSync(path, 'utf8')) ?? [];
        return pid === undefined ? [] : [[Number(pid), Number(parent)]];
      } catch {
        return [];
      }
    }),
  );

const listDescendants = (): number[] => {
  const parents = readParents();
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isOurs(parent));
  };
  return [...parents.keys()].filter(isOurs);
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
  }
};

/**
 * Makes the machine as busy as a bad day in CI, until the returned function is called. Four endless loops compete for
 * the processors, and processes of the run are stopped at random for up to a second.
 */
export const makeBusy = (): (() => Promise<void>) => {
  const loops = Array.from({ length: LOOPS }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const loopIds = new Set(loops.map(({ pid }) => pid));
  let isOver = false;
  const stopOthers = async (): Promise<void> => {
    while (!isOver) {
      const candidates = listDescendants().filter((pid) => !loopIds.has(pid));
      const pid = candidates[randomInt(Math.max(candidates.length, 1))];
      if (pid !== undefined) signal(pid, 'SIGSTOP');
      await sleep(randomInt(LONGEST_STOP_MS));
      if (pid !== undefined) signal(pid, 'SIGCONT');
      await sleep(randomInt(LONGEST_PAUSE_MS));
    }
  };
  const stopping = stopOthers();
  return async () => {
    isOver = true;
    for (const loop of loops) loop.kill('SIGKILL');
    await stopping;
  };
};
