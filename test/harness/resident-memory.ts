import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KILOBYTES_PER_MEGABYTE = 1024;

/** A process's memory according to the operating system, not the process itself. */
export const readResidentMegabytes = (pid: number): number => {
  const kilobytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) / KILOBYTES_PER_MEGABYTE;
};
