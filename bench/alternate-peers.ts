import { setImmediate as nextTurn } from 'node:timers/promises';

export type Rounds<Sample> = { ours: readonly Sample[]; peer: readonly Sample[] };

export type Peers<Sample> = { ours(): Promise<Sample>; peer(): Promise<Sample> };

export type Plan = { warmUps: number; rounds: number; signal: AbortSignal };

/**
 * Measures two peers alternately, after warm-up rounds whose samples are dropped. The first peer changes with every
 * round, so that a machine that gets slower or busier favors neither.
 */
export const alternatePeers = async <Sample>(
  peers: Peers<Sample>,
  { warmUps, rounds, signal }: Plan,
): Promise<Rounds<Sample>> => {
  const samples: { ours: Sample[]; peer: Sample[] } = { ours: [], peer: [] };
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const turn of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
      // Yield to the event loop, so that a signal can arrive. Measurements on SQLite never yield.
      await nextTurn();
      signal.throwIfAborted();
      samples[turn].push(await peers[turn]());
    }
  }
  return { ours: samples.ours.slice(warmUps), peer: samples.peer.slice(warmUps) };
};

/** Takes one number from each sample. */
export const pick = <Sample>(rounds: Rounds<Sample>, number: (sample: Sample) => number): Rounds<number> => ({
  ours: rounds.ours.map(number),
  peer: rounds.peer.map(number),
});
