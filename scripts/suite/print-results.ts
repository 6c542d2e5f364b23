import { PART_NAMES, type TestFile } from './list-files.ts';
import type { Failure, FileResult } from './messages.ts';
import type { Listener } from './run-files.ts';

const SLOWEST = 10;
const PROGRESS_EVERY_MS = 30_000;

export const formatDuration = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ');

const printFailure = ({ names, message, where }: Failure, seed: string): void => {
  const [path = '', ...titles] = names;
  const only = titles.length > 0 ? ` --only ${quote(titles.join(' '))}` : '';
  print(`\nFAILED  ${titles.join(' › ') || path}`);
  print(indent(message));
  print(indent(`at ${where ?? path}`));
  print(indent(`SEED=${seed} npm test -- ${path}${only}\n`));
};

const sum = (results: readonly FileResult[], field: 'passed' | 'failed' | 'skipped' | 'ms'): number =>
  results.reduce((total, result) => total + result[field], 0);

/** Prints failures as they come, and progress now and then. With `isClose`, prints every test. */
export const createPrinter = (files: readonly TestFile[], { seed, isClose }: { seed: string; isClose: boolean }) => {
  const begun = performance.now();
  const parts = new Map(files.map(({ path, part }) => [path, part]));
  const results: FileResult[] = [];
  const running = new Set<string>();
  let crashes = 0;

  const printProgress = (): void => {
    const counts = `${results.length} of ${files.length} files, ${sum(results, 'passed')} tests passed`;
    print(`${formatDuration(performance.now() - begun)}  ${counts}; running ${[...running].join(', ')}`);
  };
  const progress = isClose ? undefined : setInterval(printProgress, PROGRESS_EVERY_MS);

  const listener: Listener = {
    started: (path) => void running.add(path),
    passed: (names, ms) => isClose && print(`ok      ${names.slice(1).join(' › ')} (${Math.round(ms)} ms)`),
    failed: (failure) => printFailure(failure, seed),
    crashed(path, message) {
      crashes++;
      running.delete(path);
      printFailure({ names: [path], message, where: null }, seed);
    },
    note: (text) => isClose && print(indent(text)),
    done(result) {
      results.push(result);
      running.delete(result.path);
    },
  };

  return {
    listener,
    /** Prints the summary. Returns whether everything passed. */
    summarize(checksMs: number | null): boolean {
      clearInterval(progress);
      const tookMs = performance.now() - begun;
      const slowest = results.toSorted((left, right) => right.ms - left.ms).slice(0, SLOWEST);
      if (!isClose) {
        print('\nSlowest files:');
        for (const { path, ms } of slowest) print(`${formatDuration(ms).padStart(7)}  ${path}`);
        print('\nTime per part (files run side by side, so a part takes less than the sum of its files):');
        if (checksMs !== null) print(`${formatDuration(checksMs).padStart(7)}  checks`);
        for (const part of PART_NAMES) {
          const own = results.filter(({ path }) => parts.get(path) === part);
          const tests = sum(own, 'passed') + sum(own, 'failed');
          if (own.length > 0)
            print(`${formatDuration(sum(own, 'ms')).padStart(7)}  ${part}: ${tests} tests in ${own.length} files`);
        }
      }
      print(`\nTook ${formatDuration(tookMs + (checksMs ?? 0))} (SEED=${seed})`);
      const [passed, failed, skipped] = [
        sum(results, 'passed'),
        sum(results, 'failed') + crashes,
        sum(results, 'skipped'),
      ];
      print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
      const missing = files.filter(({ path }) => !results.some((result) => result.path === path));
      if (missing.length > 0) print(`Not run to the end: ${missing.map(({ path }) => path).join(', ')}`);
      return failed === 0 && missing.length === 0 && passed > 0;
    },
  };
};
