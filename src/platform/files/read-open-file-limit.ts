import { readFileSync } from 'node:fs';

/** How many files the process may have open. Only Linux reports the limit. Elsewhere, it's far more than we need. */
export const readOpenFileLimit = (): number => {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(limit ?? Number.POSITIVE_INFINITY);
};
