import { setImmediate as nextTurn } from 'node:timers/promises';

export type Rounds<Sample> = { ours: readonly Sample[]; peer: readonly Sample[] };

export type Peers<Sample> = { ours(): Promise<Sample>; peer(): Promise<Sample> };

export type Plan = { warmUps: number; rounds: number; signal: AbortSignal };

/**
 * Measures two peers in turns after a warm-up that does not count. Who goes first changes with every round, so that a
 * machine that gets slower or busier favors neither.
 */
export const alternatePeers = async <Sample>(
  peers: Peers<Sample>,
  { warmUps, rounds, signal }: Plan,
): Promise<Rounds<Sample>> => {
  const samples: { ours: Sample[]; peer: Sample[] } = { ours: [], peer: [] };
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const turn of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
      // A measurement on SQLite never leaves the event loop a turn in which a signal could arrive.
      await nextTurn();
      signal.throwIfAborted();
      samples[turn].push(await peers[turn]());
    }
  }
  return { ours: samples.ours.slice(warmUps), peer: samples.peer.slice(warmUps) };
};

/** One number from each sample. */
export const pick = <Sample>(rounds: Rounds<Sample>, number: (sample: Sample) => number): Rounds<number> => ({
  ours: rounds.ours.map(number),
  peer: rounds.peer.map(number),
});
