import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createLanes } from '../../running/lanes.ts';
import { callerGone, currentWork, type Work } from '../../running/work-for.ts';
import { DatabaseUnavailable, type ScannedRow, type Value } from '../database.ts';
import type { ScanRequest, ScanResult } from './sqlite-scanner.child.ts';

type Read = {
  request: ScanRequest;
  work: Work;
  timeoutMs: number;
  resolve(rows: ScannedRow[]): void;
  reject(error: Error): void;
};

const CHILD = fileURLToPath(new URL('./sqlite-scanner.child.ts', import.meta.url));

/**
 * Long reads in a separate process, one after the other; teams take turns. A read that takes too long is ended by
 * killing that process, because nothing else stops a running SQLite statement (terminating a worker thread waits for it:
 * minutes, measured). Reads that are waiting run in the next process, and their time starts then.
 */
export const createSqliteScanner = (path: string) => {
  const waiting = createLanes<Read>();
  let active: (Read & { timer: NodeJS.Timeout }) | undefined;
  let child: ChildProcess | undefined;
  let lastId = 0;

  const end = (): Read | undefined => {
    const ended = active;
    clearTimeout(ended?.timer);
    active = undefined;
    return ended;
  };

  /** Ends the process and its current read. */
  const retire = (reason: string): void => {
    child?.removeAllListeners();
    child?.kill('SIGKILL');
    child = undefined;
    end()?.reject(new DatabaseUnavailable(reason));
    beginNext();
  };

  const start = (): ChildProcess => {
    const started = fork(CHILD, [path], { serialization: 'advanced', execArgv: [], env: {}, stdio: 'ignore' });
    started.on('message', (result: ScanResult) => {
      if (result.id !== active?.request.id) return;
      const read = end();
      if ('rows' in result) read?.resolve(JSON.parse(result.rows));
      else read?.reject(new Error(`The read failed: ${result.error}`));
      beginNext();
    });
    started.on('error', () => retire('The reading process could not be started.'));
    started.on('exit', () => retire('The reading process ended.'));
    // An idle process must not keep the program alive. A read in progress does, through its timer.
    started.unref();
    started.channel?.unref();
    return started;
  };

  /** Those that nobody waits for anymore are left out. */
  const takeNext = (): Read | undefined => {
    for (;;) {
      const read = waiting.shift();
      if (!read?.work.isAbandoned()) return read;
      read.reject(callerGone());
    }
  };

  const beginNext = (): void => {
    if (active) return;
    const read = takeNext();
    if (!read) return;
    const { timeoutMs, request } = read;
    const timer = setTimeout(() => retire(`A read was stopped after ${Math.round(timeoutMs)} ms.`), timeoutMs);
    active = { ...read, timer };
    child ??= start();
    const asked = child;
    // Ignore a process that was ended meanwhile.
    asked.send(request, (error) => error && asked === child && retire('The reading process cannot be reached.'));
  };

  return {
    scan<Row extends ScannedRow>(text: string, values: readonly Value[], timeoutMs: number): Promise<Row[]> {
      return new Promise<ScannedRow[]>((resolve, reject) => {
        waiting.push({ request: { id: ++lastId, text, values }, work: currentWork(), timeoutMs, resolve, reject });
        beginNext();
      }) as Promise<Row[]>;
    },
    close(): void {
      const reason = 'The database is closing.';
      for (let read = waiting.shift(); read; read = waiting.shift()) read.reject(new DatabaseUnavailable(reason));
      retire(reason);
    },
  };
};
