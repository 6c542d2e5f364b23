import { globSync, readFileSync } from 'node:fs';
import { basename, normalize } from 'node:path';

/** The parts of the suite, in the order in which they begin. The part that usually takes longest comes first. */
const PARTS: Record<string, readonly string[]> = {
  browser: ['test/browser/*.test.ts'],
  faults: ['test/faults/*.test.ts'],
  attacks: ['test/attacks/*.test.ts'],
  journeys: ['test/journeys/*.test.ts'],
  units: ['src/**/*.test.ts', 'packages/*/src/*.test.ts', 'test/harness/**/*.test.ts', 'test/*.test.ts'],
};

export const PART_NAMES = Object.keys(PARTS);

/** Parts that only run with `--all` and `--rest`. */
const LONG_PARTS = ['browser', 'faults'];

export type TestFile = { path: string; part: string };

export const listFiles = (): TestFile[] =>
  Object.entries(PARTS).flatMap(([part, patterns]) =>
    globSync(patterns)
      .toSorted((left, right) => basename(left).localeCompare(basename(right)))
      .map((path) => ({ path, part })),
  );

const usesOneEngine = ({ path }: TestFile): boolean =>
  /^import \{[^}]*\bonOneEngine\b[^}]*\} from '[./]*(?:test\/)?harness\/databases\.ts';$/m.test(
    readFileSync(path, 'utf8'),
  );

/** Whether `npm test` runs a file. It runs everything but the long parts. */
export const isQuick = ({ part }: TestFile): boolean => !LONG_PARTS.includes(part);

/** Whether `npm test` leaves something of a file to `--rest`: a long part, or a suite on the other engine. */
export const isLeft = (file: TestFile): boolean => !isQuick(file) || usesOneEngine(file);

/**
 * Patterns for the full names of the tests that `--rest` runs: those in files of the long parts, and those in suites on
 * the other engine.
 */
export const LEFT_NAMES = [`/^test\\/(?:${LONG_PARTS.join('|')})\\//`, '/also on postgresql/'];

/** Finds the files at these paths, and those in these folders, each once. */
export const pickFiles = (asked: readonly string[]): { files: TestFile[]; missing: string[] } => {
  const all = listFiles();
  const missing: string[] = [];
  const files = asked.flatMap((path) => {
    const wanted = normalize(path).replace(/\/$/, '');
    const found = all.filter((file) => file.path === wanted || file.path.startsWith(`${wanted}/`));
    if (found.length === 0) missing.push(path);
    return found;
  });
  return { files: [...new Set(files)], missing };
};
