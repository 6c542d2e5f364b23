import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DatabaseUnavailable, type ScannedRow, type Value } from './database.ts';
import type { ScanAnswer, ScanRequest } from './sqlite-scanner.child.ts';

type Pending = { resolve(rows: ScannedRow[]): void; reject(error: Error): void; timer: NodeJS.Timeout };

const CHILD = fileURLToPath(new URL('./sqlite-scanner.child.ts', import.meta.url));

/**
 * Long reads in a process of their own. A read that takes too long is ended by killing that process: nothing else stops
 * a running SQLite statement (ending a worker thread waits for it: measured, minutes). Reads that were waiting behind
 * it fail with it and may be asked again.
 */
export const createSqliteScanner = (path: string) => {
  const pending = new Map<number, Pending>();
  let child: ChildProcess | undefined;
  let lastId = 0;

  const take = (id: number): Pending | undefined => {
    const request = pending.get(id);
    if (request) clearTimeout(request.timer);
    pending.delete(id);
    return request;
  };

  const retire = (reason: string): void => {
    child?.removeAllListeners();
    child?.kill('SIGKILL');
    child = undefined;
    for (const id of [...pending.keys()]) take(id)?.reject(new DatabaseUnavailable(reason));
  };

  const start = (): ChildProcess => {
    const started = fork(CHILD, [path], { serialization: 'advanced', execArgv: [], env: {}, stdio: 'ignore' });
    started.on('message', (answer: ScanAnswer) => {
      const request = take(answer.id);
      if ('rows' in answer) request?.resolve(JSON.parse(answer.rows));
      else request?.reject(new Error(`The read failed: ${answer.error}`));
    });
    started.on('error', () => retire('The reading process could not be started.'));
    started.on('exit', () => retire('The reading process has ended.'));
    // Waiting for work must not keep the program alive; a read under way does, through its timer.
    started.unref();
    started.channel?.unref();
    return started;
  };

  return {
    scan<Row extends ScannedRow>(text: string, values: readonly Value[], timeoutMs: number): Promise<Row[]> {
      child ??= start();
      const asked = child;
      const request: ScanRequest = { id: ++lastId, text, values };
      return new Promise<ScannedRow[]>((resolve, reject) => {
        const timer = setTimeout(() => retire(`A read was ended after ${Math.round(timeoutMs)} ms.`), timeoutMs);
        pending.set(request.id, { resolve, reject, timer });
        asked.send(request, (error) => error && retire('The reading process cannot be reached.'));
      }) as Promise<Row[]>;
    },
    close: (): void => retire('The database is closing.'),
  };
};
