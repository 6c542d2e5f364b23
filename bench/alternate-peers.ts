export type Rounds<Sample> = { ours: readonly Sample[]; peer: readonly Sample[] };

export type Peers<Sample> = { ours(): Promise<Sample>; peer(): Promise<Sample> };

/**
 * Measures two peers in turns after a warm-up that does not count. Who goes first changes with every round, so that a
 * machine that grows slower or busier favours neither.
 */
export const alternatePeers = async <Sample>(
  { ours, peer }: Peers<Sample>,
  { warmUps, rounds }: { warmUps: number; rounds: number },
): Promise<Rounds<Sample>> => {
  const samples: { ours: Sample[]; peer: Sample[] } = { ours: [], peer: [] };
  const measure = {
    ours: async () => samples.ours.push(await ours()),
    peer: async () => samples.peer.push(await peer()),
  };
  for (let round = 0; round < warmUps + rounds; round++) {
    if (round % 2 === 0) {
      await measure.ours();
      await measure.peer();
    } else {
      await measure.peer();
      await measure.ours();
    }
  }
  return { ours: samples.ours.slice(warmUps), peer: samples.peer.slice(warmUps) };
};

/** One number out of every sample. */
export const pick = <Sample>(rounds: Rounds<Sample>, number: (sample: Sample) => number): Rounds<number> => ({
  ours: rounds.ours.map(number),
  peer: rounds.peer.map(number),
});
