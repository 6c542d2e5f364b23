import type { Rounds } from './alternate-peers.ts';

/** The results of two peers that were measured alternately. The ratio is ours to the peer's. */
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

/** A result without a peer. The median of the values is compared with the goal. */
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

/** A goal that couldn't be measured on this machine. Like a missed goal, it fails the run. */
export type NotRun = { kind: 'not run'; title: string; why: string };

export type Result = Comparison | Reading | Table | NotRun;

export type Tools = {
  /** Cleans up everything that a benchmark starts or creates, even if the benchmark fails. */
  cleanUp: AsyncDisposableStack;
  /** Aborted when the run is interrupted, or takes too long. */
  signal: AbortSignal;
  /** Reports a condition that the numbers depend on. */
  note(line: string): void;
};

export type Benchmark = {
  name: string;
  about: string;
  /** The time limit, if the benchmark needs more time than the others. */
  longestMs?: number;
  run(tools: Tools): Promise<Result[]>;
};
