/** A failed test, with what is printed about it. The first of its names is the path of its file. */
export type Failure = { names: readonly string[]; message: string; where: string | null };

export type FileResult = { path: string; passed: number; failed: number; skipped: number; ms: number };

/** What a worker tells the run. */
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'passed'; names: readonly string[]; ms: number }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'note'; text: string }
  | { kind: 'done'; result: FileResult };

/** On which engines to run suites for which the engine makes no difference (`test/harness/databases.ts`). */
export type Engines = 'both' | 'first' | 'other';

/** What the run tells a worker: its next file, or that there is none. */
export type ToWorker = { next: { path: string; engines: Engines } | null };
