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

/** A number that is told beside the others: missing its aim does not fail the run. */
export type Reading = {
  kind: 'reading';
  title: string;
  unit: string;
  values: readonly number[];
  aim: { under: number } | null;
};

/** A goal that could not be measured here, which is not the same as met. */
export type NotRun = { kind: 'not run'; title: string; why: string };

export type Result = Comparison | Reading | NotRun;

export type Tools = {
  /** Whatever a benchmark starts or makes is deferred to this, so that it goes away also when the benchmark fails. */
  cleanUp: AsyncDisposableStack;
  /** Aborted when the run is interrupted, or takes too long. */
  signal: AbortSignal;
  /** Tells a condition that the numbers depend on. */
  note(line: string): void;
};

export type Benchmark = { name: string; about: string; run(tools: Tools): Promise<Result[]> };
