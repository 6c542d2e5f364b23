import type { Rounds } from './alternate-peers.ts';

/** Two peers, measured in turns. The ratio is ours to the peer's. */
export type Comparison = {
  kind: 'comparison';
  title: string;
  unit: string;
  ours: string;
  peer: string;
  rounds: Rounds<number>;
  /** A missed goal fails the run. */
  goal: { atLeast: number } | null;
};

export type Bound = { atLeast: number } | { atMost: number };

/** A number on its own. The median of the values is judged. */
export type Reading = {
  kind: 'reading';
  title: string;
  unit: string;
  values: readonly number[];
  /** A missed goal fails the run, a missed aim does not. */
  goal?: Bound;
  aim?: { under: number };
};

/** The same numbers for each of several things. A value above the limit of its column fails the run. */
export type Table = {
  kind: 'table';
  title: string;
  columns: readonly { name: string; atMost?: number }[];
  rows: readonly { name: string; values: readonly number[] }[];
};

/** A goal that could not be measured here, which is not the same as met. */
export type NotRun = { kind: 'not run'; title: string; why: string };

export type Result = Comparison | Reading | Table | NotRun;

export type Tools = {
  /** Whatever a benchmark starts or makes is deferred to this, so that it's cleaned up even if the benchmark fails. */
  cleanUp: AsyncDisposableStack;
  /** Aborted when the run is interrupted, or takes too long. */
  signal: AbortSignal;
  /** Reports a condition that the numbers depend on. */
  note(line: string): void;
};

export type Benchmark = {
  name: string;
  about: string;
  /** If it needs more than the others. */
  longestMs?: number;
  run(tools: Tools): Promise<Result[]>;
};
