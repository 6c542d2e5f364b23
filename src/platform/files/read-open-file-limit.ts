import { readFileSync } from 'node:fs';

/** How many files the process may have open. Linux says; elsewhere it's far more than we allow. */
export const readOpenFileLimit = (): number => {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(limit ?? Number.POSITIVE_INFINITY);
};
