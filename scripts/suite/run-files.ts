import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestFile } from './list-files.ts';
import type { Engines, Failure, FileResult, FromWorker, ToWorker } from './messages.ts';

/** How many workers run at once: two for each of two cores, because many tests wait most of the time. */
const AT_ONCE = 4;
/** How many of them may run a browser, which has processes of its own. */
const BROWSERS_AT_ONCE = 2;
/** The time limit of a test. Long enough for any test on a busy machine, so that it only ends tests that hang. */
const TEST_TIMEOUT_MS = 300_000;
/** How long a worker may take to end after its last file. */
const END_WITHIN_MS = 60_000;
const SILENT_MS = 420_000;
const LEFT_OPEN = 'Its process did not end: this file, or one before it in the same process, has left something open.';
const MOST_OUTPUT_CHARACTERS = 4_000;

export type Listener = {
  started(path: string): void;
  passed(names: readonly string[], ms: number): void;
  failed(failure: Failure): void;
  /** The worker ended unexpectedly, or didn't end, while or after it ran this file. */
  crashed(path: string, message: string): void;
  note(text: string): void;
  done(result: FileResult): void;
};

export type RunOptions = {
  chooseEngines(file: TestFile): Engines;
  /** If there are any, a test runs only if its full name matches one of them. */
  namePatterns: readonly string[];
  /** For a run of a few files: an uncaught error fails its own test, and output is shown as it comes. */
  isClose: boolean;
};

const startWorker = ({ namePatterns, isClose }: RunOptions): ChildProcess => {
  const args = [...(isClose ? ['--track'] : []), ...(isClose && namePatterns.length > 0 ? ['--may-be-empty'] : [])];
  return fork(resolve('scripts/suite/worker.ts'), args, {
    execArgv: [
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      `--test-reporter=${pathToFileURL('scripts/suite/reporter.ts').href}`,
      '--test-reporter-destination=stderr',
      `--import=${pathToFileURL('bin/quick-imports.js').href}`,
      ...namePatterns.map((pattern) => `--test-name-pattern=${pattern}`),
    ],
    stdio: ['ignore', isClose ? 'inherit' : 'pipe', isClose ? 'inherit' : 'pipe', 'ipc'],
  });
};

/** Hands out the files in their order, but limits how many browsers run at once. */
const createQueue = (files: readonly TestFile[]) => {
  const waiting = [...files];
  const underWay = new Map<string, TestFile>();
  const findNext = (): number => {
    const browsers = [...underWay.values()].filter(({ part }) => part === 'browser').length;
    return waiting.findIndex(({ part }) => part !== 'browser' || browsers < BROWSERS_AT_ONCE);
  };
  return {
    hasNext: (): boolean => findNext() >= 0,
    take(): TestFile | undefined {
      const [file] = this.hasNext() ? waiting.splice(findNext(), 1) : [];
      if (file) underWay.set(file.path, file);
      return file;
    },
    finish: (path: string): void => void underWay.delete(path),
  };
};

type Queue = ReturnType<typeof createQueue>;

/** Node's exit code if nothing is left to do, but something is still awaited: here, the end of a file without tests. */
const NOTHING_LEFT = 13;

const describeEnd = (reason: NodeJS.Signals | number | null, { namePatterns }: RunOptions, output: string): string =>
  reason === NOTHING_LEFT && namePatterns.length > 0
    ? 'None of its tests has these words in its name.'
    : `Its process ended with ${reason}, and nothing says why.\n${output}`;

/** Gives a worker one file after the other, because loading the service takes longer than running most of them. */
const runWorker = (queue: Queue, options: RunOptions, listener: Listener): Promise<void> =>
  new Promise((end) => {
    const worker = startWorker(options);
    const unfinished = new Set<string>();
    const given: string[] = [];
    let [last, output, failures] = ['', '', 0];
    let killer: NodeJS.Timeout | undefined;
    for (const stream of [worker.stdout, worker.stderr])
      stream?.on('data', (chunk) => (output = `${output}${chunk}`.slice(-MOST_OUTPUT_CHARACTERS)));

    // Kills a worker that is silent for longer than any test may take, because a file without a test to run would never
    // end.
    const watchdog = setTimeout(() => worker.kill('SIGKILL'), SILENT_MS);
    const giveNext = (): void => {
      const file = queue.take();
      if (file) {
        last = file.path;
        unfinished.add(last);
        given.push(last);
        listener.started(last);
      } else {
        killer = setTimeout(() => worker.kill('SIGKILL'), END_WITHIN_MS);
      }
      worker.send({ next: file ? { path: file.path, engines: options.chooseEngines(file) } : null } satisfies ToWorker);
    };
    worker.on('message', (message: FromWorker) => {
      watchdog.refresh();
      if (message.kind === 'ready') giveNext();
      if (message.kind === 'passed') listener.passed(message.names, message.ms);
      if (message.kind === 'failed') listener.failed(message.failure);
      if (message.kind === 'note') listener.note(message.text);
      if (message.kind !== 'done') return;
      failures += message.result.failed;
      queue.finish(message.result.path);
      if (unfinished.delete(message.result.path)) listener.done(message.result);
      else listener.crashed(last, `A test was declared too late to belong to its file: "${message.result.path}"`);
    });
    worker.on('close', (code, signal) => {
      clearTimeout(killer);
      clearTimeout(watchdog);
      for (const path of unfinished) {
        queue.finish(path);
        listener.crashed(path, describeEnd(signal ?? code, options, output));
      }
      if (unfinished.size === 0 && signal === 'SIGKILL')
        listener.crashed(last, `${LEFT_OPEN}\n${output}\nFiles: ${given.join(' ')}`);
      else if (unfinished.size === 0 && failures === 0 && code !== 0)
        listener.crashed(last, describeEnd(signal ?? code, options, output));
      end();
    });
  });

/** Runs the files in a few workers, each of which takes the next file when it has finished one. */
export const runFiles = async (files: readonly TestFile[], options: RunOptions, listener: Listener): Promise<void> => {
  const queue = createQueue(files);
  const keepRunning = async (): Promise<void> => {
    while (queue.hasNext()) await runWorker(queue, options, listener);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepRunning));
};
