import { globSync, readFileSync } from 'node:fs';
import { basename, normalize } from 'node:path';

/** The parts of the suite, in the order in which they are begun: what usually takes longest comes first. */
const PARTS: Record<string, readonly string[]> = {
  browser: ['test/browser/*.test.ts'],
  faults: ['test/faults/*.test.ts'],
  attacks: ['test/attacks/*.test.ts'],
  journeys: ['test/journeys/*.test.ts'],
  units: ['src/**/*.test.ts', 'packages/*/src/*.test.ts', 'test/harness/**/*.test.ts', 'test/*.test.ts'],
};

export const PART_NAMES = Object.keys(PARTS);

/** Only in `--all` and `--rest`. */
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

/** What `npm test` runs: everything but the long parts. */
export const isQuick = ({ part }: TestFile): boolean => !LONG_PARTS.includes(part);

/** What `npm test` leaves: the long parts, and the other engine of whatever it ran on one. */
export const isLeft = (file: TestFile): boolean => !isQuick(file) || usesOneEngine(file);

/** In a run of what is left, a test runs if its full name matches: its file is long, or its suite is for the other engine. */
export const LEFT_NAMES = [`/^test\\/(?:${LONG_PARTS.join('|')})\\//`, '/also on postgresql/'];

/** The files at these paths, and those in these folders, each once. */
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
