import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestFile } from './list-files.ts';
import type { Engines, Failure, FileResult, FromWorker, ToWorker } from './messages.ts';

/** One more than the two cores: many tests wait most of the time, and those that measure time need some to spare. */
const AT_ONCE = 3;
/** A browser has processes of its own. */
const BROWSERS_AT_ONCE = 2;
/** Loading the service takes longer than most test files, so a worker runs many of them, until it has grown enough. */
const WORKER_MS = 240_000;
const TEST_TIMEOUT_MS = 120_000;
const MOST_OUTPUT_CHARACTERS = 4_000;

export type Listener = {
  passed(names: readonly string[], ms: number): void;
  failed(failure: Failure): void;
  note(text: string): void;
  done(result: FileResult): void;
};

export type RunOptions = {
  chooseEngines(file: TestFile): Engines;
  /** A test runs only if its full name matches one of them. All run if there are none. */
  namePatterns: readonly string[];
  /** A few files are followed closely: uncaught errors belong to a test, and output is shown as it comes. */
  isClose: boolean;
};

const startWorker = ({ namePatterns, isClose }: RunOptions): ChildProcess =>
  fork(resolve('scripts/suite/worker.ts'), isClose ? ['--track'] : [], {
    execArgv: [
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      `--test-reporter=${pathToFileURL('scripts/suite/reporter.ts').href}`,
      '--test-reporter-destination=stderr',
      `--import=${pathToFileURL('bin/quick-imports.js').href}`,
      ...namePatterns.map((pattern) => `--test-name-pattern=${pattern}`),
    ],
    stdio: ['ignore', isClose ? 'inherit' : 'pipe', isClose ? 'inherit' : 'pipe', 'ipc'],
  });

/** Node's exit code if there is nothing left to do and something is still awaited: here, the end of a file without tests. */
const NOTHING_LEFT = 13;

const describeEnd = (reason: NodeJS.Signals | number | null, { namePatterns }: RunOptions, output: string): string =>
  reason === NOTHING_LEFT && namePatterns.length > 0
    ? 'None of its tests has these words in its name.'
    : `Its process ended with ${reason} before the file did.\n${output}`;

/** Runs the files in a few workers, each of which takes the next file when it has finished one. */
export const runFiles = async (files: readonly TestFile[], options: RunOptions, listener: Listener): Promise<void> => {
  const waiting = [...files];
  const underWay = new Map<string, TestFile>();

  const takeNext = (): TestFile | undefined => {
    const browsers = [...underWay.values()].filter(({ part }) => part === 'browser').length;
    const index = waiting.findIndex(({ part }) => part !== 'browser' || browsers < BROWSERS_AT_ONCE);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  };

  const runWorker = (): Promise<void> =>
    new Promise((end) => {
      const worker = startWorker(options);
      const retireAt = performance.now() + WORKER_MS;
      const own = new Set<string>();
      let output = '';
      for (const stream of [worker.stdout, worker.stderr])
        stream?.on('data', (chunk) => (output = `${output}${chunk}`.slice(-MOST_OUTPUT_CHARACTERS)));

      const giveNext = (): void => {
        const file = performance.now() < retireAt ? takeNext() : undefined;
        if (file) underWay.set(file.path, file);
        if (file) own.add(file.path);
        const next = file ? { path: file.path, engines: options.chooseEngines(file) } : null;
        worker.send({ next } satisfies ToWorker);
      };
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') giveNext();
        if (message.kind === 'passed') listener.passed(message.names, message.ms);
        if (message.kind === 'failed') listener.failed(message.failure);
        if (message.kind === 'note') listener.note(message.text);
        if (message.kind !== 'done') return;
        underWay.delete(message.result.path);
        own.delete(message.result.path);
        listener.done(message.result);
      });
      worker.on('close', (code, signal) => {
        for (const path of own) {
          underWay.delete(path);
          const message = describeEnd(signal ?? code, options, output);
          listener.failed({ names: [path], message, where: null });
          listener.done({ path, passed: 0, failed: 1, skipped: 0, ms: 0 });
        }
        end();
      });
    });

  const keepRunning = async (): Promise<void> => {
    while (waiting.length > 0) await runWorker();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, files.length) }, keepRunning));
};
