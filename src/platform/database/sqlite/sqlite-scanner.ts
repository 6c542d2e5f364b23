import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pointToCompiledCode } from '../../running/compile-cache.ts';
import { callerGone, currentWork, type Work } from '../../turns/owner.ts';
import { createRotation, type Rotation } from '../../turns/rotation.ts';
import { DatabaseUnavailable, type ScannedRow, type Value } from '../database.ts';
import type { ScanRequest, ScanResult } from './sqlite-scanner.child.ts';

type Read = {
  request: ScanRequest;
  work: Work;
  timeoutMs: number;
  resolve(rows: ScannedRow[]): void;
  reject(error: Error): void;
};

/**
 * A reading process and its current read. `timer` ends a read that takes too long, or a process that has been idle too
 * long.
 */
type Reader = { child: ChildProcess; read: Read | null; timer: NodeJS.Timeout | undefined; isEnding: boolean };

const CHILD = fileURLToPath(new URL('./sqlite-scanner.child.ts', import.meta.url));
const MOST_READERS = 2;
/** The memory limit of a reading process. A page of rows takes a few megabytes. */
const MEMORY = ['--max-old-space-size=128'];
/** How long the second process stays idle before it's ended. The first process stays for good. */
const IDLE_MS = 30_000;
/** How often a read in progress is checked for whether anyone still waits for it. */
const LOOK_MS = 250;
/** The longest pause. After this, reads continue. */
const MOST_PAUSE_MS = 2_000;

const forkReader = (path: string, { onResult, onLost }: { onResult(): void; onLost(reason: string): void }): Reader => {
  const env = pointToCompiledCode();
  const child = fork(CHILD, [path], { serialization: 'advanced', execArgv: MEMORY, env, stdio: 'ignore' });
  const reader: Reader = { child, read: null, timer: undefined, isEnding: false };
  child.on('message', (result: ScanResult) => {
    const { read } = reader;
    if (!read || result.id !== read.request.id) return;
    onResult();
    if ('rows' in result) read.resolve(JSON.parse(result.rows));
    else read.reject(new Error(`The read failed: ${result.error}`));
  });
  child.on('error', () => onLost('The reading process could not be started.'));
  child.on('exit', () => onLost('The reading process ended.'));
  // An idle process must not keep the program alive. A read in progress does, through its timer.
  child.unref();
  child.channel?.unref();
  return reader;
};

/** Takes the next read. Rejects reads that nobody waits for anymore. */
const takeWanted = (waiting: Rotation<Read>, isReading: (owner: string) => boolean): Read | undefined => {
  for (;;) {
    const read = waiting.shift(isReading);
    if (!read?.work.isAbandoned()) return read;
    read.reject(callerGone());
  }
};

/**
 * Runs long reads in two separate processes. Teams take turns, with one read at a time each, so a team with a very long
 * read delays only itself. A read that takes too long, or that nobody waits for anymore, is ended by killing its
 * process. Nothing else stops a running SQLite statement: terminating a worker thread took minutes, because it waits
 * for the statement. Reads in the queue run in a new process, and their time limits start then.
 */
export const createSqliteScanner = (path: string, { idleMs = IDLE_MS } = {}) => {
  const waiting = createRotation<Read>();
  const readers = new Set<Reader>();
  let lastId = 0;
  /** While this isn't null, no read begins. The promise resolves once no read is in progress. */
  let paused: (PromiseWithResolvers<void> & { timer: NodeJS.Timeout }) | null = null;

  const countStaying = (): number => [...readers].filter(({ isEnding }) => !isEnding).length;
  const isReading = (owner: string): boolean => [...readers].some(({ read }) => read?.work.owner === owner);

  const resolveIfQuiet = (): void => {
    if ([...readers].every(({ read }) => read === null)) paused?.resolve();
  };

  const finish = (reader: Reader): Read | null => {
    const { read } = reader;
    clearTimeout(reader.timer);
    reader.read = null;
    resolveIfQuiet();
    return read;
  };

  /**
   * Kills a process. It stays in `readers` until it has exited, because SIGKILL doesn't end a process while it waits
   * for a disk. If it were replaced right away, more and more such processes could pile up.
   */
  const end = (reader: Reader, reason: Error): void => {
    reader.isEnding = true;
    reader.child.kill('SIGKILL');
    finish(reader)?.reject(reason);
    beginNext();
  };

  const forget = (reader: Reader, reason: string): void => {
    readers.delete(reader);
    end(reader, new DatabaseUnavailable(reason));
  };

  const rest = (reader: Reader): void => {
    const idle = new DatabaseUnavailable('The reading process was idle.');
    reader.timer = setTimeout(() => countStaying() > 1 && end(reader, idle), idleMs).unref();
  };

  const start = (): Reader => {
    const reader = forkReader(path, {
      onResult: () => {
        finish(reader);
        rest(reader);
        beginNext();
      },
      onLost: (reason) => forget(reader, reason),
    });
    readers.add(reader);
    return reader;
  };

  const begin = (reader: Reader, read: Read): void => {
    const { request, work, timeoutMs } = read;
    const endsAt = performance.now() + timeoutMs;
    const look = (): void => {
      const leftMs = endsAt - performance.now();
      if (work.isAbandoned()) end(reader, callerGone());
      else if (leftMs > 0) reader.timer = setTimeout(look, Math.min(leftMs, LOOK_MS));
      else end(reader, new DatabaseUnavailable(`A read was stopped after ${Math.round(timeoutMs)} ms.`));
    };
    clearTimeout(reader.timer);
    reader.read = read;
    look();
    reader.child.send(request, (error) => {
      if (error && reader.read === read) end(reader, new DatabaseUnavailable('The reading process cannot be reached.'));
    });
  };

  const beginNext = (): void => {
    while (!paused) {
      const free = [...readers].find(({ read, isEnding }) => !read && !isEnding);
      if (!free && readers.size >= MOST_READERS) return;
      const read = takeWanted(waiting, isReading);
      if (!read) return;
      try {
        begin(free ?? start(), read);
      } catch {
        read.reject(new DatabaseUnavailable('The reading process could not be started.'));
      }
    }
  };

  const resume = (): void => {
    clearTimeout(paused?.timer);
    paused = null;
    beginNext();
  };

  return {
    scan<Row extends ScannedRow>(text: string, values: readonly Value[], timeoutMs: number): Promise<Row[]> {
      return new Promise<ScannedRow[]>((resolve, reject) => {
        waiting.push({ request: { id: ++lastId, text, values }, work: currentWork(), timeoutMs, resolve, reject });
        beginNext();
      }) as Promise<Row[]>;
    },
    /** Lets no new read begin. Resolves when the reads in progress have ended. */
    pause(): Promise<void> {
      paused ??= { ...Promise.withResolvers(), timer: setTimeout(resume, MOST_PAUSE_MS) };
      resolveIfQuiet();
      return paused.promise;
    },
    resume,
    close(): void {
      const closing = new DatabaseUnavailable('The database is closing.');
      for (let read = waiting.shift(); read; read = waiting.shift()) read.reject(closing);
      for (const reader of readers) end(reader, closing);
      resume();
    },
  };
};
